import { readFileSync } from 'node:fs';
import { type BulkJobOptions, Queue } from 'bullmq';
import type { Redis, Result } from 'ioredis';
import { type Job, type QueueName, queueNames } from '../../model/job.ts';
import type { Done, QueueEvent, Submitted } from '../../ports/job-queue.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { pageLimitsOf, tooManyPages, unserved } from '../unavailable.ts';
import { bullPrefix, doneChannel, jobsKey, jobsPrefix, wakeKey } from './keys.ts';
import { pathOf } from './turn-rules.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    diagSchedule(...args: (string | number)[]): Result<(string | number)[], Context>;
  }
}

/** What BullMQ keeps of a job that may run: which turn of which job it is, and how many of its runs were lost; for operators whose it is. Not its target: URLs have secrets. */
export type ReadyJob = {
  readonly id: string;
  readonly hand: number;
  readonly lost: number;
  readonly host?: string;
  readonly class?: string;
};
export type ReadyQueues = Readonly<Record<QueueName, Queue<ReadyJob>>>;

/** A run, by its number, or by that of its turn where it has not begun (0): what an older one says is refused. */
export type Run = { readonly jobId: string; readonly hand: number; readonly run: number };

/** A run that begins. `isLost`: the job has lost too many already, and must be ended. */
export type Begun = { readonly run: number; readonly lost: number; readonly isLost: boolean };

/** The operations of scheduler.lua, where they are explained. What each hands out is given to BullMQ before it returns. */
export type Scheduler = {
  submit(job: Job, hostWaitingLimit: number | undefined): Promise<Submitted>;
  /** Undefined where another turn of the job is the right one, or none. @param token another one for each run */
  begin(
    ready: ReadyJob,
    how: { token: string; isAlone: boolean; stalls: number },
  ): Promise<Begun | undefined>;
  /** Another run begins beside one that was alone. */
  beside(run: Run): Promise<void>;
  /** False where the run was another's already. */
  end(run: Run, state: Done['state'], tookMs: number): Promise<boolean>;
  /** Hands a run back that has asked nothing yet, or whose worker stops; it begins again after so long. */
  back(run: Run, afterMs: number): Promise<void>;
  give(run: Run): Promise<void>;
  /** True once the run has its place again; undefined where the job is another run's. */
  take(run: Run): Promise<boolean | undefined>;
  /** False where a newer run of the job counts. */
  holds(run: Run): Promise<boolean>;
  /** `left`: it had no other waiter; `stays`: it has; undefined: it runs, or this request does not wait for it. */
  withdraw(job: Job): Promise<'left' | 'stays' | undefined>;
  drop(jobId: string): Promise<boolean>;
  tell(jobId: string, told: string): Promise<void>;
  wake(jobId: string): Promise<void>;
  /** @param slots below 0 where the worker leaves */
  beat(queue: QueueName, worker: string, slots: number): Promise<void>;
};

export type SchedulerLimits = {
  readonly hostConcurrency: number;
  /** Jobs of one host that may wait for it, where the submitter does not know better. */
  readonly hostWaitingLimit: number;
  /** Page loads that a caller may have unfinished, where its jobs do not say how many; left out: they are not counted. */
  readonly pageLimit?: number;
};

/** Told of each event that this process brought about. */
export type OnEvent = (queue: QueueName, event: QueueEvent, count: number) => void;

export type BullmqQueueOptions = SchedulerLimits & { readonly url: string; readonly log: Logger };

type SchedulerOptions = SchedulerLimits & {
  readonly queues: ReadyQueues;
  /** How a step is done: once, or again until Redis takes it. */
  readonly doStep: <T>(step: () => Promise<T>) => Promise<T>;
  readonly onEvent: OnEvent;
};

const script = readFileSync(new URL('scheduler.lua', import.meta.url), 'utf8');
const wordsOfHanded = 8;

/** Defines scheduler.lua on a connection, and gives what calls it. */
export function defineScheduler(redis: Redis) {
  redis.defineCommand('diagSchedule', { numberOfKeys: 1, lua: script });
  return (operation: string, hostConcurrency: number, ...words: (string | number)[]) =>
    redis.diagSchedule(jobsPrefix, operation, hostConcurrency, doneChannel, ...words);
}

/** Opens it over a connection. */
export function openScheduler(redis: Redis, options: SchedulerOptions): Scheduler {
  const { queues, hostConcurrency, doStep, onEvent } = options;
  const schedule = defineScheduler(redis);
  const call = (operation: string, ...words: (string | number)[]) =>
    doStep(() => schedule(operation, hostConcurrency, ...words));
  /** Calls, hands on what may run now, and returns the other words. If this process dies between the two, a beat hands it on. */
  const act = async (count: number, operation: string, ...words: (string | number)[]) => {
    const answer = await call(operation, ...words);
    const handed = answer.slice(count);
    const items = itemsOf(handed.map(String));
    for (const { id, queue, name } of items) if (id === '') onEvent(queue, name as QueueEvent, 1);
    const jobs = items.filter(({ id }) => id !== '');
    if (jobs.length > 0) await doStep(() => handOn(redis, queues, jobs));
    return answer.slice(0, count).map(String);
  };
  return {
    submit: async (job, hostWaitingLimit = options.hostWaitingLimit) =>
      submit(act, options, job, hostWaitingLimit),
    async begin({ id, hand }, { token, isAlone, stalls }) {
      const words = await act(3, 'begin', id, hand, token, isAlone ? 1 : 0, stalls);
      const [run = 0, lost = 0, isLost] = words.map(Number);
      return run === 0 ? undefined : { run, lost, isLost: isLost === 1 };
    },
    beside: async (run) => void (await call('beside', ...wordsOf(run))),
    end: async (run, state, tookMs) => (await act(1, 'end', ...wordsOf(run), state, tookMs))[0] === '1',
    back: async (run, afterMs) => void (await act(0, 'back', ...wordsOf(run), afterMs)),
    give: async (run) => void (await act(0, 'give', ...wordsOf(run))),
    async take(run) {
      const [state] = await act(1, 'take', ...wordsOf(run));
      return state === '' ? undefined : state === '1';
    },
    holds: async (run) => (await call('holds', ...wordsOf(run)))[0] === '1',
    async withdraw({ jobKey, requestId = '' }) {
      const [state] = await act(1, 'withdraw', jobKey, requestId);
      return state === 'left' || state === 'stays' ? state : undefined;
    },
    drop: async (jobId) => (await act(1, 'drop', jobId))[0] === '1',
    tell: async (jobId, told) => void (await call('tell', jobId, told)),
    wake: async (jobId) => void (await act(0, 'wake', jobId)),
    beat: async (queue, worker, slots) => void (await act(0, 'beat', queue, worker, slots)),
  };
}

const wordsOf = ({ jobId, run, hand }: Run) => [jobId, run, hand];

type Act = (count: number, operation: string, ...words: (string | number)[]) => Promise<string[]>;

async function submit(
  act: Act,
  { pageLimit }: SchedulerLimits,
  job: Job,
  hostWaitingLimit: number,
): Promise<Submitted> {
  const { jobId, queue, startBy, wanted } = job;
  const now = Date.now();
  const pages = pageLimit === undefined ? [] : pageLimitsOf(job, pageLimit);
  const names = pages.map(({ name }) => name);
  const record = JSON.stringify({ ...recordOf(job), ...(names.length > 0 ? { page: names } : {}) });
  // Times go as differences: clocks of processes may differ.
  const waitMs = Math.max(0, Math.round(startBy - now));
  const seenMs = Math.max(0, Math.round(now - wanted.since));
  const limits = pages.map(({ limit }) => limit);
  const words = [record, JSON.stringify(job), waitMs, seenMs, hostWaitingLimit, ...limits];
  const [state = '', id = jobId, told = ''] = await act(3, 'submit', ...words);
  switch (state) {
    case 'unserved':
      throw unserved(told || undefined, queue);
    case 'pages':
      throw tooManyPages(limits[0] ?? 0);
    case 'parked':
      return { state, jobId: id, position: Number(told) };
    default:
      return { state: state as 'joined' | 'admitted' | 'full', jobId: id };
  }
}

/** What scheduler.lua has to know of a job. */
function recordOf(job: Job) {
  const { jobId, jobKey, queue, host, check, reportId, runLimitMs, requestId = jobId, isBackground } = job;
  return {
    id: jobId,
    key: jobKey,
    pool: queue,
    host,
    check,
    report: reportId,
    run: runLimitMs,
    who: [{ by: requestId, path: pathOf(job) }],
    ...(isBackground === true ? { bg: true } : {}),
  };
}

const gone: BulkJobOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true };

type ReadyBulk = { readonly name: string; readonly data: ReadyJob; readonly opts: BulkJobOptions };

const wakeKeptMs = 60_000;

/** Tells workers of jobs that BullMQ has for them. Should it not arrive, they look by themselves a little later. */
export async function wakeWorkers(redis: Redis, queue: QueueName, count: number): Promise<void> {
  const told = Array.from({ length: count }, () => '1');
  await Promise.all([redis.rpush(wakeKey(queue), ...told), redis.pexpire(wakeKey(queue), wakeKeptMs)]).catch(
    () => undefined,
  );
}

type Item = {
  readonly id: string;
  readonly queue: QueueName;
  readonly name: string;
  readonly words: readonly string[];
};

/** What the script hands out: jobs, and events, which have no id. */
function itemsOf(words: readonly string[]): readonly Item[] {
  return Array.from({ length: Math.floor(words.length / wordsOfHanded) }, (_, at) => {
    const item = words.slice(at * wordsOfHanded, (at + 1) * wordsOfHanded);
    const [id = '', , queue, name = ''] = item;
    return { id, queue: queue as QueueName, name, words: item };
  });
}

async function handOn(redis: Redis, queues: ReadyQueues, items: readonly Item[]): Promise<void> {
  const jobs = new Map<QueueName, ReadyBulk[]>();
  for (const { id, queue, name, words } of items) {
    const [, hand, , , lost, host = '', callerClass = '', isAgain] = words;
    // Nobody took the one before, and nobody shall.
    if (isAgain === '1') await queues[queue].remove(`${id}.${Number(hand) - 1}`);
    const data = { id, hand: Number(hand), lost: Number(lost), host, class: callerClass };
    const job = { name, data, opts: { ...gone, jobId: `${id}.${hand}` } };
    jobs.set(queue, [...(jobs.get(queue) ?? []), job]);
  }
  const add = async ([queue, [first, ...others]]: [QueueName, ReadyBulk[]]) => {
    if (!first) return;
    if (others.length > 0) await queues[queue].addBulk([first, ...others]);
    else await queues[queue].add(first.name, first.data, first.opts);
    await wakeWorkers(redis, queue, 1 + others.length);
  };
  await Promise.all([...jobs].map(add));
}

/** Opens BullMQ's queues over a connection. */
export function openReadyQueues(redis: Redis): ReadyQueues {
  const open = (name: QueueName) => {
    const options = { connection: redis, prefix: bullPrefix, streams: { events: { maxLen: 100 } } };
    // What goes wrong is said once, by the connection itself.
    return new Queue<ReadyJob>(name, options).on('error', () => undefined);
  };
  return { network: open('network'), browser: open('browser'), composite: open('composite') };
}

/** Closes them, and the connection. */
export async function closeReadyQueues(redis: Redis, queues: ReadyQueues): Promise<void> {
  await Promise.all(queueNames.map((name) => queues[name].close().catch(() => undefined))); // Redis may be gone already
  redis.disconnect();
}

/** Places of a group, "at most so many at once", for what is no job: each is its member's until its lease ends, over all processes. */
export type Places = {
  /** False where the group has so many already. @param most 0 renews the place of a member, also one that Redis has lost */
  occupy(group: string, member: string, most: number, leaseMs: number): Promise<boolean>;
  vacate(group: string, member: string): Promise<void>;
};

/** Opens them over a connection. */
export function openPlaces(redis: Redis): Places {
  const call = defineScheduler(redis);
  return {
    occupy: async (group, member, most, leaseMs) =>
      (await call('occupy', 0, group, member, most, leaseMs))[0] === '1',
    vacate: async (group, member) => void (await redis.zrem(jobsKey('at', group), member)),
  };
}
