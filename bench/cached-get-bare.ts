import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';

/** An answer that the bare handler has to send. */
export type BareAnswer = {
  readonly path: string;
  readonly status: number;
  readonly type: string | undefined;
  readonly coding: string | undefined;
  readonly base64: string;
};

/** Opens Express 5 with a handler for each answer that the parent process names; tells its port. */
export async function openBare(): Promise<void> {
  const [answers] = (await once(process, 'message')) as [readonly BareAnswer[]];
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
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.((server.address() as AddressInfo).port);
}
