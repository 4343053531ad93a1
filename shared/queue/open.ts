import { EventEmitter } from 'node:events';
import type { Redis } from 'ioredis';
import { impatient, isRedisAway, openHearing, openRedis, patient, readTimeMs } from '../backends/redis.ts';
import { type QueueName, queueNames, readToldJob } from '../model/job.ts';
import type { Done, JobQueue, Missed, QueueStats } from '../ports/job-queue.ts';
import { openClock } from './clock.ts';
import { subscribeDone } from './delivery/done.ts';
import { openWorkWhile } from './delivery/work-while.ts';
import { openWorkers } from './delivery/workers.ts';
import { judgeRedis, withinTime } from './redis-calls.ts';
import { bullPrefix, jobsKey, nodeOf } from './scheduler/keys.ts';
import { look } from './scheduler/look.ts';
import {
  type BullmqQueueOptions,
  closeReadyQueues,
  type OnEvent,
  type ReadyQueues,
  openReadyQueues,
  openScheduler,
} from './scheduler/scheduler.ts';
import { pathOf } from './scheduler/turn-rules.ts';

const hears = { ...patient, enableOfflineQueue: false } as const;

/** The queue over Redis, for any number of processes: jobs wait in the scheduler, and BullMQ delivers what may run. */
export function openBullmqJobQueue(options: BullmqQueueOptions): JobQueue {
  const { url, log } = options;
  const redis = openRedis(url, impatient, log);
  const queues = openReadyQueues(redis);
  const events = new EventEmitter<{ done: [Done | Missed]; event: Parameters<OnEvent> }>().setMaxListeners(0);
  const onEvent: OnEvent = (...event) => events.emit('event', ...event);
  const scheduler = openScheduler(redis, { ...options, queues, onEvent, doStep: (step) => step() });
  const inTime = openWorkWhile(log);
  const clock = openClock(redis, log, inTime.turn);
  const deliveryState = openDeliveryState(queues);
  const workers = openWorkers({ ...options, onEvent });
  const hearing = openHearing(url, hears, log);
  subscribeDone(hearing, log, (done) => events.emit('done', done));
  return {
    submit: (job, hostWaitingLimit) => withinTime(redis, () => scheduler.submit(job, hostWaitingLimit)),
    withdraw: (job) => withinTime(redis, async () => (await scheduler.withdraw(job)) === 'left'),
    onDone(listener) {
      events.on('done', listener);
      return () => events.off('done', listener);
    },
    tell: (job) => withinTime(redis, () => scheduler.tell(job.jobId, JSON.stringify(readToldJob(job)))),
    look: (jobId) => withinTime(redis, () => look(redis, jobId, clock.nowMs())),
    onEvent(listener) {
      events.on('event', listener);
      return () => events.off('event', listener);
    },
    count: (queue, event) => onEvent(queue, event, 1),
    deliveryState,
    work: (...given) => inTime.work(() => workers.work(...given)),
    deny: workers.deny,
    stats: () => withinTime(redis, () => readStats(redis)),
    jobsOf: (caller) => withinTime(redis, () => jobsOf(redis, caller)),
    nowMs: () => clock.nowMs(),
    clockState: () => clock.state(),
    ping: () => judgeRedis(redis),
    async close(graceMs) {
      clock.close();
      await workers.close(graceMs);
      await closeReadyQueues(redis, queues);
      hearing.disconnect();
      events.removeAllListeners();
    },
  };
}

/** So long one look at BullMQ's own pauses counts. */
const lookAgainMs = 3000;

/** Looks whether somebody has paused one of BullMQ's queues, as a button of bull-board does: then no worker gets its jobs. */
function openDeliveryState(queues: ReadyQueues): () => Promise<true | string> {
  let seen = { at: -lookAgainMs, state: Promise.resolve<true | string>(true) };
  const look = async () => {
    const paused = await Promise.all(queueNames.map((name) => queues[name].isPaused()));
    const names = queueNames.filter((_, at) => paused[at]);
    return names.length === 0 ? true : sayPaused(names.join(', '));
  };
  return () => {
    if (performance.now() - seen.at > lookAgainMs)
      // Whether Redis is away is another part's to say.
      seen = { at: performance.now(), state: look().catch((error: unknown) => ignoreAway(error)) };
    return seen.state;
  };
}

function ignoreAway(error: unknown): true {
  if (isRedisAway(error)) return true;
  throw error;
}

/** What is said of queues that are paused in BullMQ. */
export function sayPaused(names: string): string {
  return `BullMQ's queue ${names} is paused (${bullPrefix}): workers get no job of it. Resume it where it was paused, such as in bull-board.`;
}

/** What has not got its number so long after it was handed out waits for a worker: they have too much to do, or stand still. */
const beginsWithinMs = 3000;

/** The counts of all queues, and their oldest waits by Redis' clock. */
export async function readStats(redis: Redis): Promise<Readonly<Record<QueueName, QueueStats>>> {
  const now = await readTimeMs(redis);
  const [network, browser, composite] = await Promise.all([
    statsOf(redis, 'network', now),
    statsOf(redis, 'browser', now),
    statsOf(redis, 'composite', now),
  ]);
  return { network, browser, composite };
}

async function statsOf(redis: Redis, queue: QueueName, now: number): Promise<QueueStats> {
  const list = (name: string) => jobsKey(name, queue);
  const oldest = async (name: string) => {
    const [, score] = await redis.zrange(list(name), '0', '0', 'WITHSCORES');
    return score === undefined ? 0 : Math.max(0, Math.round(now - Number(score)));
  };
  // What was handed out stands among those that wait until it has begun.
  const [waits, parked, running, handed, still, oldestWaitingMs, oldestParkedMs] = await Promise.all([
    redis.zcard(list('waits')),
    redis.zcard(list('parks')),
    redis.zcard(list('running')),
    redis.zcard(list('handed')),
    redis.zcount(list('handed'), '-inf', now - beginsWithinMs),
    oldest('waits'),
    oldest('parks'),
  ]);
  const begins = handed - still;
  const waiting = Math.max(0, waits - begins);
  return {
    waiting,
    parked,
    running: running + begins,
    // What was handed out once more has waited since it could run first.
    oldestWaitingMs: waiting > 0 || oldestWaitingMs > beginsWithinMs ? oldestWaitingMs : 0,
    oldestParkedMs,
  };
}

/** Unfinished jobs of a caller. Whether it has a token does not tell two callers apart. */
async function jobsOf(redis: Redis, caller: Parameters<typeof pathOf>[0]) {
  const nodes = queueNames.flatMap((queue) =>
    [true, false].map((isAnonymous) => nodeOf(queue, pathOf({ ...caller, isAnonymous }))),
  );
  const counts = await Promise.all(
    nodes.map((node) => Promise.all([redis.zcard(jobsKey('at', node)), redis.zcard(jobsKey('mine', node))])),
  );
  const running = counts.reduce((sum, [held]) => sum + held, 0);
  const all = counts.reduce((sum, [, mine]) => sum + mine, 0);
  return { running, waiting: Math.max(0, all - running) };
}
