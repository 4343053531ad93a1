import { readFileSync } from 'node:fs';

/** Settings that hold a password or a key: each can be read from a file instead, whose path is in `<name>_FILE`. */
export const secretSettings = [
  'REDIS_URL',
  'MONGODB_URL',
  'MAIL_URL',
  'CRUX_API_KEY',
  'PSI_API_KEY',
] as const;
export type SecretSetting = (typeof secretSettings)[number];

type Given = Readonly<Record<string, string | undefined>>;

/**
 * Puts the content of every `<name>_FILE` in place of the setting; a line's end after it does not count.
 * @param given the environment, without empty variables
 * @returns the settings, and a line for each file that cannot be used or whose setting is set as well
 */
export function readSecretFiles(given: Given): { readonly settings: Given; readonly faults: string[] } {
  const settings: Record<string, string | undefined> = { ...given };
  const faults = secretSettings.flatMap((name) => {
    const path = given[fileSettingOf(name)];
    if (path === undefined) return [];
    const content = readSecret(path);
    settings[name] ??= content;
    if (given[name] !== undefined)
      return [`${name} and ${fileSettingOf(name)}: are both set; only one may be`];
    if (content === undefined) return [`${fileSettingOf(name)}: names a file that cannot be read`];
    return content === '' ? [`${fileSettingOf(name)}: names an empty file`] : [];
  });
  return { settings, faults };
}

/** The setting that names the file of a secret. */
export function fileSettingOf(name: SecretSetting): `${SecretSetting}_FILE` {
  return `${name}_FILE`;
}

function readSecret(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined; // the setting is refused by name; why the file cannot be read is for the operator's shell
  }
}
