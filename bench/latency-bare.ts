// The reference of the latency bench, in a process of its own: Express asks the same target with got, and answers.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import got from 'got';

const app = express();
app.get('/', async (request, response) => {
  const { statusCode } = await got(String(request.query['url']), {
    throwHttpErrors: false,
    retry: { limit: 0 },
  });
  response.json({ statusCode });
});
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.((server.address() as AddressInfo).port);
