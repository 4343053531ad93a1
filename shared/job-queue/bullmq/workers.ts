import type { Logger } from '../../logger.ts';
import type { QueueName } from '../../model/job.ts';
import { openOnceEach } from '../once-each.ts';
import type { JobQueue, QueueWorker } from '../port.ts';
import { openBullmqCrew } from './crew.ts';
import { startDenial } from './denial.ts';
import { closeSide, type Side } from './side.ts';
import { openWard } from './ward.ts';

export type Workers = Pick<JobQueue, 'work' | 'deny' | 'close'>;

/** The crews of this process, and what it tells of queues that it cannot serve. @param open opens the connection that they share, when the first of them needs it */
export function openWorkers(open: () => Side, log: Logger): Workers {
  const crews = new Set<QueueWorker>();
  /** The last word of each queue. */
  const denials = new Map<QueueName, QueueWorker>();
  const ward = openWard();
  const onceEach = openOnceEach();
  let side: Side | undefined;
  return {
    work(queue, concurrency, run, gaveUp) {
      side ??= open();
      const crew = openBullmqCrew({ ...side, ward, log, onceEach, queue, concurrency, run, gaveUp });
      crews.add(crew);
      return crew;
    },
    deny(queue, fix) {
      side ??= open();
      void denials.get(queue)?.close(0);
      denials.set(queue, startDenial(side.redis, queue, fix));
    },
    async close(graceMs) {
      await Promise.all([...crews, ...denials.values()].map((crew) => crew.close(graceMs)));
      if (side) await closeSide(side);
    },
  };
}
