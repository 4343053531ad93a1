// The worker of the queue-cost bench, in a process of its own: no-op jobs of our queue, or of a plain BullMQ one.
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { openBullmqJobQueue } from '#shared/queue/bullmq/open';
import { openLogger } from '#shared/telemetry/logger';

const [kind, url = ''] = process.argv.slice(2);
if (kind === 'ours') {
  const queue = openBullmqJobQueue({
    url,
    shards: 16,
    hostConcurrency: 4,
    lineLimit: 1_000_000,
    log: openLogger('error'),
  });
  queue.work(
    'network',
    64,
    async () => undefined,
    async () => undefined,
  );
  while ((await queue.ping()) !== true) await new Promise((resolve) => setTimeout(resolve, 20));
} else {
  const worker = new Worker('theirs', async () => 'x', {
    connection: new Redis(url, { maxRetriesPerRequest: null }),
    concurrency: 64,
    removeOnComplete: { age: 600, count: 1000 },
  });
  await worker.waitUntilReady();
}
process.send?.('ready');
