import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import express from 'express';

/** An answer that the bare handler has to send. */
export type BareAnswer = {
  readonly path: string;
  readonly status: number;
  readonly type: string | undefined;
  readonly coding: string | undefined;
  readonly base64: string;
};

/** What the bare server is told: its answers, and the database file of the service. */
export type BareTask = { readonly answers: readonly BareAnswer[]; readonly file: string };

/** The path at which the bare handler answers with the row of a key, in the coding that it is asked for. */
export const storedPath = '/stored/';

/** Opens Express 5 with a handler for each answer that the parent process names, and one that reads rows of the store; tells its port. */
export async function openBare(): Promise<void> {
  const [{ answers, file }] = (await once(process, 'message')) as [BareTask];
  const app = express();
  app.disable('x-powered-by').disable('etag');
  for (const { path, status, type, coding, base64 } of answers) {
    const bytes = Buffer.from(base64, 'base64');
    app.get(path, (_request, response) => {
      response.statusCode = status;
      if (type !== undefined) response.setHeader('Content-Type', type);
      if (coding !== undefined) response.setHeader('Content-Encoding', coding);
      if (status !== 304) response.setHeader('Content-Length', bytes.length);
      response.end(bytes);
    });
  }
  app.get(`${storedPath}:key`, openStored(file));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.((server.address() as AddressInfo).port);
}

/** The newest fresh row of a key by the bare driver, as it is, or unpacked for a client without a coding. */
function openStored(file: string): express.RequestHandler {
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
