import type { Redis } from 'ioredis';
import { openRedis, patient } from '../../backends/redis.ts';
import { type QueueName, queueNames } from '../../model/job.ts';
import type { JobQueue, QueueWorker } from '../../ports/job-queue.ts';
import { jobsKey } from './keys.ts';
import { openQueueWorker } from './queue-worker.ts';
import { openRunIsolation } from './run-isolation.ts';
import { type BullmqQueueOptions, openReadyQueues } from './scheduler.ts';

type Workers = Pick<JobQueue, 'work' | 'deny' | 'close'>;

/** The workers of the queues in this process, and what it tells of queues that it cannot serve. They share a connection, opened when the first of them needs it. */
export function openWorkers(options: BullmqQueueOptions): Workers {
  const { url, log } = options;
  const opened = new Set<QueueWorker>();
  /** The last word of each queue. */
  const denials = new Map<QueueName, QueueWorker>();
  const isolation = openRunIsolation();
  let shared: { readonly redis: Redis; readonly queues: ReturnType<typeof openReadyQueues> } | undefined;
  const share = () => {
    if (shared) return shared;
    const redis = openRedis(url, patient, log);
    shared = { redis, queues: openReadyQueues(redis) };
    return shared;
  };
  return {
    work(queue, slots, run, gaveUp) {
      const given = typeof slots === 'number' ? { most: slots, now: () => slots } : slots;
      const queueWorker = openQueueWorker({
        ...options,
        ...share(),
        isolation,
        queue,
        slots: given,
        run,
        gaveUp,
      });
      opened.add(queueWorker);
      return queueWorker;
    },
    deny(queue, fix) {
      void denials.get(queue)?.close(0);
      denials.set(queue, startDenial(share().redis, queue, fix));
    },
    async close(graceMs) {
      await Promise.all([...opened, ...denials.values()].map((queueWorker) => queueWorker.close(graceMs)));
      if (!shared) return;
      const { redis, queues } = shared;
      await Promise.all(queueNames.map((name) => queues[name].close().catch(() => undefined))); // Redis may be gone already
      redis.disconnect();
    },
  };
}

const repeatMs = 5000;
const aliveS = 15;

/** Tells every process, as long as this one lives, why it does not serve a queue that it should. */
function startDenial(redis: Redis, queue: QueueName, fix: string): QueueWorker {
  const tell = () => void redis.set(jobsKey('denied', queue), fix, 'EX', aliveS).catch(() => undefined); // said again in a moment
  tell();
  const timer = setInterval(tell, repeatMs);
  return { close: async () => clearInterval(timer) };
}
