// The references of the latency bench, each in a process of its own: Express asks the same target with got, and answers; or a worker of bare BullMQ does nothing.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Worker } from 'bullmq';
import express from 'express';
import got from 'got';
import { Redis } from 'ioredis';

const [kind, redisUrl = ''] = process.argv.slice(2);
process.send?.(kind === 'express' ? await openExpress() : await openBullmqWorker());

async function openExpress(): Promise<number> {
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
  return (server.address() as AddressInfo).port;
}

async function openBullmqWorker(): Promise<string> {
  const worker = new Worker('bare', async () => 'x', {
    connection: new Redis(redisUrl, { maxRetriesPerRequest: null }),
    concurrency: 64,
    removeOnComplete: { age: 600, count: 1000 },
  });
  await worker.waitUntilReady();
  return 'ready';
}
