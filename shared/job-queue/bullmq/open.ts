import { EventEmitter } from 'node:events';
import type { Logger } from '../../logger.ts';
import { impatient, openRedis, patient } from '../../redis.ts';
import { shiftJob } from '../../shared-time.ts';
import type { Tracing } from '../../tracing/port.ts';
import type { Done, JobQueue, Missed } from '../port.ts';
import { subscribeDone } from './done.ts';
import { judgeRedis } from './judge-redis.ts';
import { look } from './look.ts';
import { openSharedClock } from './shared-clock.ts';
import { closeSide, openSide, type SideLimits } from './side.ts';
import { openStats } from './stats.ts';
import { submit } from './submit.ts';
import { openQueueTelemetry } from './telemetry.ts';
import { withinTime } from './within-time.ts';
import { openWorkers } from './workers.ts';

export type BullmqQueueOptions = SideLimits & {
  readonly url: string;
  readonly log: Logger;
  /** Where jobs are traced. */
  readonly tracing?: Tracing | undefined;
};

/** The queue over Redis: BullMQ holds every job, the gate only the order of each host's line. Any number of processes. */
export function openBullmqJobQueue(options: BullmqQueueOptions): JobQueue {
  const { url, log, tracing } = options;
  const settings = { ...options, telemetry: tracing && openQueueTelemetry(tracing) };
  const redis = openRedis(url, impatient, log);
  const clock = openSharedClock(redis, log);
  const asking = openSide(redis, settings, clock);
  const workers = openWorkers(() => openSide(openRedis(url, patient, log), settings, clock), log);
  const hearing = openRedis(url, { ...patient, enableOfflineQueue: false }, log);
  const events = new EventEmitter<{ done: [Done | Missed] }>().setMaxListeners(0);
  subscribeDone(hearing, log, (done) => events.emit('done', done));
  const readStats = openStats(redis, asking.queues);

  return {
    submit: (job, lineLimit) =>
      withinTime(redis, async () => {
        await clock.known;
        return submit(asking, shiftJob(job, clock.offsetMs()), lineLimit);
      }),
    onDone(listener) {
      events.on('done', listener);
      return () => events.off('done', listener);
    },
    look: (queue, jobId) => withinTime(redis, () => look(asking, queue, jobId)),
    work: workers.work,
    deny: workers.deny,
    stats: () => withinTime(redis, readStats),
    clockOffsetMs: () => clock.offsetMs(),
    async ping() {
      const state = await judgeRedis(redis);
      return state === true ? clock.readiness() : state;
    },
    async close(graceMs) {
      await workers.close(graceMs);
      clock.close();
      await closeSide(asking);
      hearing.disconnect();
      events.removeAllListeners();
    },
  };
}
