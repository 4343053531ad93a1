import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the proxy does with a request in place of passing it on. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => void;

export type FaultyProxy = {
  readonly url: string;
  /** Every request, as "GET /path?query". */
  readonly seen: readonly string[];
  /** The status of every answer that was passed on or made. */
  readonly statuses: readonly number[];
  /** What the next requests meet, in order; then they are passed on. */
  inject(...faults: readonly Fault[]): void;
  /** Stops listening, with every connection reset. */
  stop(): Promise<void>;
  /** Listens again on the same port. */
  start(): Promise<void>;
};

/** An answer of this status with a problem document. */
export function problem(status: number, code: string, headers: Record<string, string> = {}): Fault {
  return (_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/problem+json', ...headers });
    response.end(JSON.stringify({ code, status, title: code, detail: `injected ${code}`, requestId: 'x' }));
  };
}

/** Resets the connection before any answer. */
export const reset: Fault = (request) => request.socket.resetAndDestroy();

/** Begins an answer and breaks off within its body. */
export const brokenBody: Fault = (request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' });
  response.write('{"half":');
  setImmediate(() => request.socket.resetAndDestroy());
};

/** A proxy before a server at this port, which does what is injected. */
export async function openFaultyProxy(port: number): Promise<FaultyProxy> {
  const seen: string[] = [];
  const statuses: number[] = [];
  const faults: Fault[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.once('finish', () => statuses.push(response.statusCode));
    const fault = faults.shift();
    if (fault) return fault(request, response);
    const options = { host: '127.0.0.1', port, path: request.url, method: request.method };
    const passed = httpRequest(
      { ...options, headers: { ...request.headers, host: `127.0.0.1:${port}` } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(response);
      },
    );
    passed.on('error', () => response.destroy());
    response.once('close', () => passed.destroy());
    request.pipe(passed);
  });
  const listen = (at: number) =>
    new Promise<number>((resolve) => {
      server.listen(at, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    });
  const own = await listen(0);
  return {
    url: `http://127.0.0.1:${own}`,
    seen,
    statuses,
    inject: (...more) => void faults.push(...more),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    start: async () => void (await listen(own)),
  };
}
