import { readFileSync } from 'node:fs';
import { type Diagnostics, openDiagnostics } from '../client/diagnostics.ts';
import { redraw, show, warn } from './door.ts';
import { UsageError } from './outcome.ts';

/** How a command reaches the service. */
export type ServerOptions = {
  readonly server?: string;
  readonly tokenFile?: string;
  readonly cache?: string;
  readonly quiet?: true;
};

/** Where `npm start` listens. */
const usualServer = 'http://127.0.0.1:3000';

/** Opens the client that the options and DIAG_SERVER and DIAG_TOKEN name. Throws UsageError for an address or file that is none. */
export function openServer(options: ServerOptions, more: { readonly retryForS?: number } = {}): Diagnostics {
  const { cache } = options;
  // Who says how long to repeat tells by itself what fails.
  const isTold = !options.quiet && more.retryForS === undefined;
  return openDiagnostics({
    ...more,
    ...(isTold ? { fetch: tellingFetch() } : {}),
    server: serverOf(options),
    token: tokenOf(options),
    ...(cache === undefined ? {} : { cache: { folder: cache } }),
  });
}

/** fetch that says once of each outage that the server does not answer: the client repeats the request for seconds or minutes. */
function tellingFetch(): typeof fetch {
  let isAway = false;
  return async (...request) => {
    try {
      const response = await fetch(...request);
      isAway = false;
      return response;
    } catch (error) {
      const isStopped = request[1]?.signal?.aborted ?? false;
      if (!isAway && !isStopped) {
        redraw();
        warn(show`The server does not answer: retrying.`);
      }
      isAway ||= !isStopped;
      throw error;
    }
  };
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
