import { EventEmitter } from 'node:events';
import {
  impatient,
  impatientAlone,
  isCluster,
  openHearing,
  openRedis,
  patient,
} from '../../backends/redis.ts';
import type { Done, JobQueue, Missed } from '../../ports/job-queue.ts';
import type { Tracing } from '../../ports/tracing.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { shiftJob } from '../../time/shared-time.ts';
import { jobsOf, withdraw } from './caller-jobs.ts';
import { subscribeDone } from './done.ts';
import { openJobAlarms } from './job-alarms.ts';
import { judgeShards, sayAllFaults, sayShardFaults } from './judge-redis.ts';
import { look } from './look.ts';
import {
  closeQueuesByShard,
  openQueuesByShard,
  type ShardLimits,
  type ShardSettings,
} from './shard-queues.ts';
import { listShards, ofHost, ofJobId } from './shards.ts';
import { openSharedClock, type SharedClock } from './shared-clock.ts';
import { openStats } from './stats.ts';
import { submit } from './submit.ts';
import { openQueueTelemetry } from './telemetry.ts';
import { withinTime } from './within-time.ts';
import { openTimelyWork } from './work-in-time.ts';
import { type WorkerQueues, openWorkers } from './workers.ts';

export type BullmqQueueOptions = ShardLimits & {
  readonly url: string;
  /** Parts of the queue where the URL is that of a cluster. */
  readonly shards: number;
  readonly log: Logger;
  /** Where jobs are traced. */
  readonly tracing?: Tracing | undefined;
};

/** The queue over Redis: BullMQ holds every job, the gate only the order of each host's line. Any number of processes. */
export function openBullmqJobQueue(options: BullmqQueueOptions): JobQueue {
  const { url, log, tracing } = options;
  const settings = { ...options, telemetry: tracing && openQueueTelemetry(tracing) };
  const redis = openRedis(url, impatient, log);
  const shards = listShards(url, options.shards);
  const clock = openSharedClock(redis, log);
  const asking = openQueuesByShard(redis, shards, settings, clock);
  const workers = openWorkers(() => openWorkerQueues(settings, clock), log);
  const timely = openTimelyWork(clock, log);
  const hearing = openHearing(url, hears, log);
  const events = new EventEmitter<{ done: [Done | Missed] }>().setMaxListeners(0);
  subscribeDone(hearing, log, (done) => events.emit('done', done));
  const readStats = openStats(redis, asking);

  return {
    submit: (job, lineLimit) =>
      withinTime(redis, async () => {
        await clock.known;
        return submit(ofHost(asking, job.host), shiftJob(job, clock.offsetMs()), lineLimit);
      }),
    withdraw: (job) => withinTime(redis, () => withdraw(ofHost(asking, job.host), job)),
    onDone(listener) {
      events.on('done', listener);
      return () => events.off('done', listener);
    },
    look: (queue, jobId) => withinTime(redis, () => look(ofJobId(asking, jobId), queue, jobId)),
    work: (...given) => timely.work(() => workers.work(...given)),
    deny: workers.deny,
    stats: () => withinTime(redis, readStats),
    jobsOf: (caller) => withinTime(redis, () => jobsOf(asking, caller)),
    clockOffsetMs: () => clock.offsetMs(),
    clockState: () => clock.readiness(),
    ping: async () => sayAllFaults(await judgeShards(redis, shards), shards.length),
    ...(isCluster(redis)
      ? { pingShards: async () => sayShardFaults(await judgeShards(redis, shards), shards.length) }
      : {}),
    async close(graceMs) {
      timely.close();
      await workers.close(graceMs);
      clock.close();
      await closeQueuesByShard(asking);
      hearing.disconnect();
      events.removeAllListeners();
    },
  };
}

const hears = { ...patient, enableOfflineQueue: false } as const;

/** If a fetch is given up after Redis has handed out the job, no worker runs that job until its lock has ended. A loop that is busy for a moment must not cause that. */
const fetchTimeoutMs = 1000;

function openWorkerQueues(options: BullmqQueueOptions & ShardSettings, clock: SharedClock): WorkerQueues {
  const { url, log } = options;
  const redis = openRedis(url, patient, log);
  const queuesByShard = openQueuesByShard(redis, listShards(url, options.shards), options, clock);
  if (!isCluster(redis)) return { queuesByShard, jobAlarms: undefined };
  const fetching = openRedis(
    url,
    { ...impatientAlone, commandTimeout: fetchTimeoutMs, maxRetriesPerRequest: 0, enableOfflineQueue: true },
    log,
  );
  return { queuesByShard, jobAlarms: openJobAlarms(fetching, openHearing(url, hears, log), log) };
}
