import { type Processor, type RedisQueueBackend, Worker, type WorkerOptions } from 'bullmq';
import type { AnyRedis } from '../../backends/redis.ts';
import type { Job, QueueName } from '../../model/job.ts';
import { openPlaces, type Places } from '../../time/places.ts';
import type { Alarm, JobAlarms } from './job-alarms.ts';
import type { ShardQueues, QueuesByShard } from './shard-queues.ts';
import { shareBackend, wakeMessage } from './shared-backend.ts';
import type { JobOutcome } from './turn.ts';

/** Jobs at once over all shards. */
export type SlotLimit = { now(): number; onChange(listener: (limit: number) => void): void };

export type ShardWorkersOptions = {
  readonly queue: QueueName;
  readonly limit: SlotLimit;
  /** Of every worker, but for its connection, prefix and concurrency. */
  readonly usual: Omit<WorkerOptions, 'connection'>;
  readonly jobAlarms: JobAlarms;
  /** Ends what waits for a place. */
  readonly signal: AbortSignal;
  readonly end: EndTogether;
};

/** Makes the backend of a worker end its jobs in BullMQ and at their hosts together. */
export type EndTogether = (
  backend: RedisQueueBackend,
  redis: AnyRedis,
  shardQueues: ShardQueues,
) => RedisQueueBackend;

/**
 * A BullMQ worker for each shard, all of them under one limit. A worker takes a place before it fetches a job, and leaves it when the run
 * ends: the places go round among the shards, so that a full shard delays no other. None of them blocks on a key, which would need a
 * connection for each shard and queue; they are woken by messages.
 */
export function openShardWorkers(
  queuesByShard: QueuesByShard,
  { queue, limit, usual, jobAlarms, signal, end }: ShardWorkersOptions,
  run: (shardQueues: ShardQueues) => Processor<Job, JobOutcome>,
): readonly Worker<Job, JobOutcome>[] {
  const places = openPlaces(limit.now());
  limit.onChange((count) => places.resize(count));
  const [keeping, fetching] = [shareBackend(), shareBackend()];
  return queuesByShard.map((shardQueues) => {
    const round: Round = {
      places,
      held: new Map(),
      runs: new Set(),
      alarm: jobAlarms.listen(wakeMessage(shardQueues.keys, queue)),
      signal,
    };
    const work = run(shardQueues);
    return new Worker<Job, JobOutcome>(
      queue,
      async (job, token = '') => work(job, token).finally(() => leavePlace(round, token)),
      {
        ...usual,
        concurrency: limit.now(),
        connection: shardQueues.redis,
        prefix: shardQueues.keys.bull,
        runRetryDelay: retryMs,
      },
      (name, options) => {
        const backend = end(keeping(shardQueues.keys)(name, options), shardQueues.redis, shardQueues);
        // A fetch from a master that is away must fail soon: meanwhile it has one of the places.
        const fetcher = fetching(shardQueues.keys)(name, { ...options, connection: jobAlarms.redis });
        return takeTurns(backend, fetcher, round);
      },
    );
  });
}

type Round = {
  readonly places: Places;
  /** By the token of a run: leaves its place. */
  readonly held: Map<string, () => void>;
  /** Tokens of the runs that BullMQ has begun. */
  readonly runs: Set<string>;
  readonly alarm: Alarm;
  readonly signal: AbortSignal;
};

function leavePlace({ held }: Round, token: string): void {
  held.get(token)?.();
  held.delete(token);
}

/** So soon after a lost connection the next job is asked for: BullMQ's own 15 s are more than the lock of a job that was fetched before. */
const retryMs = 1000;

/** Nothing to do, in BullMQ's words: no job, no id, no delays. */
const nothing = [null, undefined, 0, 0];

function takeTurns(backend: RedisQueueBackend, fetcher: RedisQueueBackend, round: Round): RedisQueueBackend {
  const { alarm, runs } = round;
  const line = standInLine(round);
  backend.moveToActive = async (token, name) => {
    // After a job that was put to sleep BullMQ asks for the next under the same token: the other shards are first.
    if (runs.delete(token)) {
      alarm.ring();
      return nothing;
    }
    const leave = await line.enterNow();
    if (!leave) return nothing;
    const fetch = () => fetcher.moveToActive(token, name);
    return fetchInto(round, { token, leave, fetch, isJob: ([job]) => Boolean(job) });
  };
  backend.waitForJob = async (timeoutS) => {
    await line.wait(timeoutS * 1000);
    return null;
  };
  backend.moveStalledJobsToWait = () => fetcher.moveStalledJobsToWait();
  const end: EndRun = async (token, isNextWanted, act) => {
    runs.delete(token);
    const leave = isNextWanted ? await line.enterIfIdle() : undefined;
    if (leave) return fetchInto(round, { token, leave, fetch: () => act(true), isJob: hasNext });
    const ended = await act(false);
    // To BullMQ this means an empty queue: it must look before it waits.
    alarm.ring();
    return ended;
  };
  return endInTurn(backend, end);
}

/** Ends a job. The script that does so fetches the next of this shard, unless another shard waits for the place. */
type EndRun = (
  token: string,
  isNextWanted: boolean,
  act: (fetchNext: boolean) => Promise<Ended>,
) => Promise<Ended>;

function endInTurn(backend: RedisQueueBackend, end: EndRun): RedisQueueBackend {
  const [complete, fail] = [backend.moveToCompleted.bind(backend), backend.moveToFailed.bind(backend)];
  backend.moveToCompleted = (...given) => {
    const [job, value, remove, token, next] = given;
    return end(token, next, (fetchNext) => complete(job, value, remove, token, fetchNext));
  };
  backend.moveToFailed = (...given) => {
    const [job, reason, remove, token, next, fields] = given;
    return end(token, next, (fetchNext) => fail(job, reason, remove, token, fetchNext, fields));
  };
  return backend;
}

type Fetch<T> = {
  readonly token: string;
  readonly leave: () => void;
  readonly fetch: () => Promise<T>;
  readonly isJob: (found: T) => boolean;
};

/** Fetches a job into a place, which is left again where there is none. */
async function fetchInto<T>(round: Round, { token, leave, fetch, isJob }: Fetch<T>): Promise<T> {
  const { held, alarm, runs } = round;
  held.set(token, leave);
  alarm.quiet();
  try {
    const found = await fetch();
    if (isJob(found)) runs.add(token);
    return found;
  } finally {
    if (!runs.has(token)) leavePlace(round, token);
  }
}

function hasNext({ result }: Ended): boolean {
  return Array.isArray(result) && Boolean(result[0]);
}

/** What BullMQ's scripts give for a job that ended, with the next one where it was fetched. */
type Ended = Awaited<ReturnType<RedisQueueBackend['moveToCompleted']>>;

/**
 * The line for a place, in the two calls that BullMQ makes: it fetches several jobs before it starts the first of them, so that a fetch
 * must not wait for a place that one of these holds. It says "nothing" instead, and BullMQ waits for jobs beside those that run.
 */
function standInLine({ places, alarm, signal }: Round) {
  let reserved: (() => void) | undefined;
  let isWanted = false;
  return {
    async enterNow(): Promise<(() => void) | undefined> {
      const own = reserved;
      reserved = undefined;
      if (own) return own;
      isWanted = !places.isFree();
      return isWanted ? undefined : places.enter(signal);
    },
    enterIfIdle: async () => (places.isFree() && places.waiting() === 0 ? places.enter(signal) : undefined),
    async wait(timeoutMs: number): Promise<void> {
      if (isWanted) reserved = await places.enter(signal);
      else await alarm.wait(timeoutMs);
    },
  };
}
