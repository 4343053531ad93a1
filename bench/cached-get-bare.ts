import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import express, { type Express, type RequestHandler } from 'express';

/** An answer that the bare handler has to send. */
export type BareAnswer = {
  readonly path: string;
  readonly status: number;
  readonly type: string | undefined;
  readonly coding: string | undefined;
  readonly base64: string;
};

/** What the bare server is given: its answers, and the database file of the service. */
export type BareTask = { readonly answers: readonly BareAnswer[]; readonly file: string };

/** The path at which the bare handler answers with the row of a key, in the coding that it is asked for. */
export const storedPath = '/stored/';

/**
 * Opens Express 5 for each answer that the parent process names, with a handler for that one path: of several, a later one would
 * pay for the comparison with those before it. One more reads rows of the store. Tells the port.
 */
export async function openBare(): Promise<void> {
  const [{ answers, file }] = (await once(process, 'message')) as [BareTask];
  const apps = new Map(answers.map((answer) => [answer.path, appOf(answer)]));
  const stored = openApp(`${storedPath}:key`, openStored(file));
  const server = createServer((request, response) =>
    (apps.get(request.url ?? '') ?? stored)(request, response),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.((server.address() as AddressInfo).port);
}

function openApp(path: string, answer: RequestHandler): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.get(path, answer);
  return app;
}

function appOf({ path, status, type, coding, base64 }: BareAnswer): Express {
  const bytes = Buffer.from(base64, 'base64');
  return openApp(path, (_request, response) => {
    response.statusCode = status;
    if (type !== undefined) response.setHeader('Content-Type', type);
    if (coding !== undefined) response.setHeader('Content-Encoding', coding);
    if (status !== 304) response.setHeader('Content-Length', bytes.length);
    response.end(bytes);
  });
}

/** The newest fresh row of a key by the bare driver, as it is, or unpacked for a client without a coding. */
function openStored(file: string): RequestHandler {
  const find = new DatabaseSync(file).prepare(
    'SELECT body FROM reports WHERE jobKey = ? AND freshUntil > ? ORDER BY checkedAt DESC LIMIT 1',
  );
  return (request, response) => {
    const { body } = find.get(String(request.params['key']), Date.now()) as { readonly body: Uint8Array };
    const isPacked = request.headers['accept-encoding'] !== undefined;
    const bytes = isPacked ? body : gunzipSync(body);
    if (isPacked) response.setHeader('Content-Encoding', 'gzip');
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', bytes.length);
    response.end(bytes);
  };
}
