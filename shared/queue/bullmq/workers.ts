import type { QueueName } from '../../model/job.ts';
import type { JobQueue, QueueWorker } from '../../ports/job-queue.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { openOnceEach } from '../once-each.ts';
import { openBullmqCrew } from './crew.ts';
import { startDenial } from './denial.ts';
import { closeSides, type Sides } from './side.ts';
import type { Wakes } from './wakes.ts';
import { openWard } from './ward.ts';

export type Workers = Pick<JobQueue, 'work' | 'deny' | 'close'>;

/** What the crews of a process share: the connection with its sides, and in a cluster what wakes them. */
export type CrewSides = { readonly sides: Sides; readonly wakes: Wakes | undefined };

/** The crews of this process, and what it tells of queues that it cannot serve. @param open opens what they share, when the first of them needs it */
export function openWorkers(open: () => CrewSides, log: Logger): Workers {
  const crews = new Set<QueueWorker>();
  /** The last word of each queue. */
  const denials = new Map<QueueName, QueueWorker>();
  const ward = openWard();
  const onceEach = openOnceEach();
  let shared: CrewSides | undefined;
  return {
    work(queue, concurrency, run, gaveUp) {
      shared ??= open();
      const crew = openBullmqCrew({ ...shared, ward, log, onceEach, queue, concurrency, run, gaveUp });
      crews.add(crew);
      return crew;
    },
    deny(queue, fix) {
      shared ??= open();
      void denials.get(queue)?.close(0);
      const keys = shared.sides.map((side) => side.keys.denied(queue));
      denials.set(queue, startDenial(shared.sides[0].redis, keys, fix));
    },
    async close(graceMs) {
      await Promise.all([...crews, ...denials.values()].map((crew) => crew.close(graceMs)));
      shared?.wakes?.close();
      if (shared) await closeSides(shared.sides);
    },
  };
}
