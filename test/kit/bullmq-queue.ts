import { Redis } from 'ioredis';
import { openRedis, patient } from '#shared/backends/redis';
import { queueNames } from '#shared/model/job';
import type { JobQueue } from '#shared/ports/job-queue';
import { openBullmqJobQueue } from '#shared/queue/bullmq/open';
import { listShards } from '#shared/queue/bullmq/shards';
import type { Logger } from '#shared/telemetry/logger';
import type { TestCluster } from './redis-cluster.ts';
import type { TestRedis } from './redis.ts';

export const quiet: Logger = {
  error: console.error,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};

/** Parts of the queue in a cluster of a test. */
export const shards = 16;

type Limits = { readonly hostConcurrency: number; readonly lineLimit: number; readonly pageLimit?: number };

/** Opens a queue over an emptied Redis, in which all queues count as served: jobs may be submitted before a worker of the test takes them. */
export async function openBullmqQueue(redis: TestRedis, limits: Limits): Promise<JobQueue> {
  const client = new Redis(redis.url);
  await client.flushall();
  client.disconnect();
  return openServedQueue(redis.url, limits);
}

/** The same over a cluster. */
export async function openClusterQueue(cluster: TestCluster, limits: Limits): Promise<JobQueue> {
  for (const master of await cluster.masters()) {
    await master.flushall();
    master.disconnect();
  }
  return openServedQueue(cluster.url, limits);
}

async function openServedQueue(url: string, limits: Limits): Promise<JobQueue> {
  const client = openRedis(url, patient, quiet);
  for (const keys of listShards(url, shards))
    for (const queue of queueNames) await client.set(keys.worker(queue), '1');
  client.disconnect();
  const queue = openBullmqJobQueue({ url, shards, log: quiet, ...limits });
  const isWhole = async () =>
    (await queue.ping()) === true && ((await queue.pingShards?.()) ?? true) === true;
  while (!(await isWhole())) await new Promise((resolve) => setTimeout(resolve, 10));
  return queue;
}
