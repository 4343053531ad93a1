import { EventEmitter } from 'node:events';
import type { Redis } from 'ioredis';
import { impatient, openHearing, openRedis, patient } from '../../backends/redis.ts';
import { type QueueName, queueNames } from '../../model/job.ts';
import type { Done, JobQueue, Missed, QueueStats } from '../../ports/job-queue.ts';
import { pathOf } from '../turn-rules.ts';
import { openWorkWhile } from '../work-while.ts';
import { openClock } from './clock.ts';
import { subscribeDone } from './done.ts';
import { jobsKey, nodeOf } from './keys.ts';
import { look } from './look.ts';
import { judgeRedis } from './redis-calls.ts';
import { withinTime } from './redis-calls.ts';
import { type BullmqQueueOptions, openReadyQueues, openScheduler } from './scheduler.ts';
import { openWorkers } from './workers.ts';

const hears = { ...patient, enableOfflineQueue: false } as const;

/** The queue over Redis, for any number of processes: jobs wait in the scheduler, and BullMQ delivers what may run. */
export function openBullmqJobQueue(options: BullmqQueueOptions): JobQueue {
  const { url, log } = options;
  const redis = openRedis(url, impatient, log);
  const queues = openReadyQueues(redis);
  const scheduler = openScheduler(redis, { ...options, queues, doStep: (step) => step() });
  const clock = openClock(redis, log);
  const inTime = openWorkWhile(log);
  clock.watch((state) => inTime.turn(state === true));
  const workers = openWorkers(options);
  const events = new EventEmitter<{ done: [Done | Missed] }>().setMaxListeners(0);
  const hearing = openHearing(url, hears, log);
  subscribeDone(hearing, log, (done) => events.emit('done', done));
  return {
    submit: (job, lineLimit) => withinTime(redis, () => scheduler.submit(job, lineLimit)),
    withdraw: (job) => withinTime(redis, async () => (await scheduler.withdraw(job)) === 'left'),
    onDone(listener) {
      events.on('done', listener);
      return () => events.off('done', listener);
    },
    look: (queue, jobId) => withinTime(redis, () => look(redis, queue, jobId)),
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
      await Promise.all(queueNames.map((name) => queues[name].close().catch(() => undefined))); // Redis may be gone already
      redis.disconnect();
      hearing.disconnect();
      events.removeAllListeners();
    },
  };
}

/** The counts of all queues, and their oldest waits by Redis' clock. */
export async function readStats(redis: Redis): Promise<Readonly<Record<QueueName, QueueStats>>> {
  const [time, network, browser, composite] = await Promise.all([
    redis.time(),
    readLists(redis, 'network'),
    readLists(redis, 'browser'),
    readLists(redis, 'composite'),
  ]);
  const now = Number(time[0]) * 1000 + Number(time[1]) / 1000;
  const age = ([, since]: string[]) =>
    since === undefined ? 0 : Math.max(0, Math.round(now - Number(since)));
  const statsOf = ([waiting, parked, running, handed, ready, atHost]: Lists): QueueStats => ({
    waiting,
    parked,
    running: running + handed,
    oldestWaitingMs: age(ready),
    oldestParkedMs: age(atHost),
  });
  return { network: statsOf(network), browser: statsOf(browser), composite: statsOf(composite) };
}

type Lists = [number, number, number, number, string[], string[]];

async function readLists(redis: Redis, queue: QueueName): Promise<Lists> {
  const list = (name: string) => jobsKey(name, queue);
  return Promise.all([
    redis.zcard(list('waits')),
    redis.zcard(list('parks')),
    redis.zcard(list('running')),
    redis.zcard(list('handed')),
    redis.zrange(list('waits'), '0', '0', 'WITHSCORES'),
    redis.zrange(list('parks'), '0', '0', 'WITHSCORES'),
  ]);
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
