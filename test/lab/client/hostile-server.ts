import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What steers a terminal or hides in text: title, clear screen, C1 introducer, bidi override, zero width, BEL, backspace. */
export const hostileText =
  '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eevil\u200b\u2066\b\r\u007f\u{e0041}end';

/** What of it must never be written to a terminal. */
export const unseen = /[\p{Cc}\p{Cf}]/u;

/** A report of redirect-check as the service sends it, with something changed. */
export function goldenReport(change: object = {}): Record<string, unknown> {
  const golden = JSON.parse(readFileSync('test/fixtures/golden/redirect-check.json', 'utf8')) as object;
  return { ...golden, ...change };
}

export type HostileServer = {
  readonly url: string;
  /** Paths that were asked for. */
  readonly seen: readonly string[];
  /** What all requests are answered with from now on. */
  answer(listener: RequestListener): void;
  stop(): Promise<void>;
};

/** Answers 200 with JSON, or with a text as it is. */
export function says(body: unknown, status = 200, headers: Record<string, string> = {}): RequestListener {
  return (_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** Opens a server that answers as a test wants. */
export async function openHostileServer(): Promise<HostileServer> {
  let listener: RequestListener = says({});
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url ?? '');
    listener(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    answer(next) {
      listener = next;
      seen.length = 0;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
