import type { AnyRedis } from '../../backends/redis.ts';
import type { QueueName } from '../../model/job.ts';
import type { JobQueue, QueueWorker } from '../../ports/job-queue.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { openOnceEach } from '../once-each.ts';
import type { JobAlarms } from './job-alarms.ts';
import { openQueueWorker } from './queue-worker.ts';
import { openRunIsolation } from './run-isolation.ts';
import { closeQueuesByShard, type QueuesByShard } from './shard-queues.ts';

type Workers = Pick<JobQueue, 'work' | 'deny' | 'close'>;

/** What the workers of a process share: the queues of every shard over one connection, and in a cluster what wakes them. */
export type WorkerQueues = {
  readonly queuesByShard: QueuesByShard;
  readonly jobAlarms: JobAlarms | undefined;
};

/** The workers of the queues in this process, and what it tells of queues that it cannot serve. @param open opens what they share, when the first of them needs it */
export function openWorkers(open: () => WorkerQueues, log: Logger): Workers {
  const queueWorkers = new Set<QueueWorker>();
  /** The last word of each queue. */
  const denials = new Map<QueueName, QueueWorker>();
  const isolation = openRunIsolation();
  const onceEach = openOnceEach();
  let shared: WorkerQueues | undefined;
  return {
    work(queue, slots, run, gaveUp) {
      shared ??= open();
      const queueWorker = openQueueWorker({
        ...shared,
        isolation,
        log,
        onceEach,
        queue,
        slots: typeof slots === 'number' ? { most: slots, now: () => slots } : slots,
        run,
        gaveUp,
      });
      queueWorkers.add(queueWorker);
      return queueWorker;
    },
    deny(queue, fix) {
      shared ??= open();
      void denials.get(queue)?.close(0);
      const keys = shared.queuesByShard.map((shardQueues) => shardQueues.keys.denied(queue));
      denials.set(queue, startDenial(shared.queuesByShard[0].redis, keys, fix));
    },
    async close(graceMs) {
      await Promise.all(
        [...queueWorkers, ...denials.values()].map((queueWorker) => queueWorker.close(graceMs)),
      );
      shared?.jobAlarms?.close();
      if (shared) await closeQueuesByShard(shared.queuesByShard);
    },
  };
}

const repeatMs = 5000;
const aliveS = 15;

/** Tells every process, as long as this worker lives, why it does not serve a queue that it should. @param keys of that queue, one in each shard */
function startDenial(redis: AnyRedis, keys: readonly string[], fix: string): QueueWorker {
  const tell = () => {
    for (const key of keys) void redis.set(key, fix, 'EX', aliveS).catch(() => undefined); // said again in a moment
  };
  tell();
  const timer = setInterval(tell, repeatMs);
  return { close: async () => clearInterval(timer) };
}
