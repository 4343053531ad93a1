import { readYamlFile } from './yaml.ts';

/** A service of the compose file, as far as the tests read it. */
export type ComposeService = {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks?: readonly string[];
  readonly volumes?: readonly string[];
  readonly secrets?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly profiles?: readonly string[];
  readonly logging?: { readonly options?: Readonly<Record<string, string>> };
  readonly [more: string]: unknown;
};

/** The compose file, as far as the tests read it. */
export type ComposeFile = {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};

/** Reads docker-compose.yml; variables are not replaced. */
export function readComposeFile(): ComposeFile {
  return readYamlFile('docker-compose.yml')[0] as ComposeFile;
}

/** The environment that compose gives a service, for what an operator has written into .env. */
export function environmentOf(
  { environment = {} }: ComposeService,
  written: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, replaceVariables(value, written)]),
  );
}

/** Replaces `${NAME:-default}`, the only form of a variable that the file uses. Throws for any other. */
export function replaceVariables(text: string, written: Readonly<Record<string, string>>): string {
  const replaced = text.replace(
    /\$\{(\w+):-([^}]*)\}/g,
    (_, name: string, ifEmpty: string) => written[name] || ifEmpty,
  );
  if (replaced.includes('$')) throw new Error(`"${text}" is not \${NAME:-default}`);
  return replaced;
}
