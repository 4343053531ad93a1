import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express } from 'express';

/** An answer that the bare handler has to send. */
export type BareAnswer = {
  readonly path: string;
  readonly status: number;
  readonly type: string | undefined;
  readonly coding: string | undefined;
  readonly base64: string;
};

/**
 * Opens Express 5 for each answer that the parent process names, with a handler for that one path: of several, a later one would
 * pay for the comparison with those before it. Tells the port.
 */
export async function openBare(): Promise<void> {
  const [answers] = (await once(process, 'message')) as [readonly BareAnswer[]];
  const apps = new Map(answers.map((answer) => [answer.path, appOf(answer)]));
  const server = createServer((request, response) => apps.get(request.url ?? '')?.(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.((server.address() as AddressInfo).port);
}

function appOf({ path, status, type, coding, base64 }: BareAnswer): Express {
  const bytes = Buffer.from(base64, 'base64');
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.get(path, (_request, response) => {
    response.statusCode = status;
    if (type !== undefined) response.setHeader('Content-Type', type);
    if (coding !== undefined) response.setHeader('Content-Encoding', coding);
    if (status !== 304) response.setHeader('Content-Length', bytes.length);
    response.end(bytes);
  });
  return app;
}
