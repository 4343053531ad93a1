import { readFileSync } from 'node:fs';
import { type Diagnostics, openDiagnostics } from '../client/diagnostics.ts';
import { UsageError } from './outcome.ts';

/** How a command reaches the service. */
export type ServerOptions = {
  readonly server?: string;
  readonly tokenFile?: string;
  readonly cache?: string;
};

/** Where `npm start` listens. */
const usualServer = 'http://127.0.0.1:3000';

/** Opens the client that the options and DIAG_SERVER and DIAG_TOKEN name. Throws UsageError for an address or file that is none. */
export function openServer(options: ServerOptions, more: { readonly retryForS?: number } = {}): Diagnostics {
  const { cache } = options;
  return openDiagnostics({
    ...more,
    server: serverOf(options),
    token: tokenOf(options),
    ...(cache === undefined ? {} : { cache: { folder: cache } }),
  });
}

/** The address of the service that is asked. Throws UsageError for one that is none. */
export function serverOf({ server }: ServerOptions): string {
  const address = server ?? (process.env['DIAG_SERVER'] || usualServer);
  if (!/^https?:\/\//.test(address) || !URL.canParse(address))
    throw new UsageError(`--server: "${address}" is not an http or https URL.`);
  return address;
}

/** The token that is sent. Throws UsageError for a file that holds none. */
export function tokenOf({ tokenFile }: ServerOptions): string | undefined {
  return tokenFile === undefined ? process.env['DIAG_TOKEN'] || undefined : readToken(tokenFile);
}

function readToken(path: string): string {
  try {
    const token = readFileSync(path, 'utf8').trim();
    if (/^\S+$/.test(token)) return token;
  } catch (error) {
    throw new UsageError(`--token-file: ${(error as Error).message}`);
  }
  throw new UsageError(`--token-file: ${path} does not hold one token.`);
}
