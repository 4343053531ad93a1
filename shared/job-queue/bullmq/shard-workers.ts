import { type Processor, type RedisQueueBackend, Worker, type WorkerOptions } from 'bullmq';
import type { Job, QueueName } from '../../model/job.ts';
import { openPlaces, type Places } from '../../places.ts';
import { shareBackend, wakeMessage } from './shared-backend.ts';
import type { Side, Sides } from './side.ts';
import type { Outcome } from './turn.ts';
import type { Alarm, Wakes } from './wakes.ts';

export type ShardWorkersOptions = {
  readonly queue: QueueName;
  /** Jobs at once over all shards. */
  readonly concurrency: number;
  /** Of every worker, but for its connection, prefix and concurrency. */
  readonly usual: Omit<WorkerOptions, 'connection'>;
  readonly wakes: Wakes;
  /** Ends what waits for a place. */
  readonly signal: AbortSignal;
};

/**
 * A BullMQ worker for each shard, all of them under one limit. A worker takes a place before it fetches a job, and leaves it when the run
 * ends: the places go round among the shards, so that a full shard delays no other. None of them blocks on a key, which would need a
 * connection for each shard and queue; they are woken by messages.
 */
export function openShardWorkers(
  sides: Sides,
  { queue, concurrency, usual, wakes, signal }: ShardWorkersOptions,
  run: (side: Side) => Processor<Job, Outcome>,
): readonly Worker<Job, Outcome>[] {
  const places = openPlaces(concurrency);
  const [keeping, fetching] = [shareBackend(), shareBackend()];
  return sides.map((side) => {
    const round: Round = {
      places,
      held: new Map(),
      alarm: wakes.listen(wakeMessage(side.keys, queue)),
      signal,
    };
    const work = run(side);
    return new Worker<Job, Outcome>(
      queue,
      async (job, token = '') => work(job, token).finally(() => leavePlace(round, token)),
      { ...usual, concurrency, connection: side.redis, prefix: side.keys.bull, runRetryDelay: retryMs },
      (name, options) => {
        const backend = keeping(side.keys)(name, options);
        // A fetch from a master that is away must fail soon: meanwhile it has one of the places.
        const fetcher = fetching(side.keys)(name, { ...options, connection: wakes.redis });
        return takeTurns(backend, fetcher, round);
      },
    );
  });
}

type Round = {
  readonly places: Places;
  /** By the token of a run: leaves its place. */
  readonly held: Map<string, () => void>;
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
  const { held } = round;
  const runs = new Set<string>();
  // To BullMQ a run that ends without the next job of its shard means an empty queue: it must look before it waits.
  const endRun = (token: string) => {
    round.alarm.ring();
    return runs.delete(token);
  };
  const queueing = standInLine(round);
  backend.moveToActive = async (token, name) => {
    // After a job that was put to sleep BullMQ asks for the next under the same token: the other shards are first.
    if (runs.has(token)) {
      endRun(token);
      return nothing;
    }
    const leave = await queueing.enterNow();
    if (!leave) return nothing;
    held.set(token, leave);
    const found = await fetcher.moveToActive(token, name).catch((error: unknown) => {
      leavePlace(round, token);
      throw error;
    });
    if (found[0]) runs.add(token);
    else leavePlace(round, token);
    return found;
  };
  backend.waitForJob = async (timeoutS) => {
    await queueing.wait(timeoutS * 1000);
    return null;
  };
  backend.moveStalledJobsToWait = () => fetcher.moveStalledJobsToWait();
  // What ends fetches no other, for the same reason: that is the `false`.
  const [complete, fail] = [backend.moveToCompleted.bind(backend), backend.moveToFailed.bind(backend)];
  backend.moveToCompleted = async (job, value, remove, token) => {
    const ended = await complete(job, value, remove, token, false);
    endRun(token);
    return ended;
  };
  backend.moveToFailed = async (...given) => {
    const [job, reason, remove, token, , fields] = given;
    const ended = await fail(job, reason, remove, token, false, fields);
    endRun(token);
    return ended;
  };
  return backend;
}

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
    async wait(timeoutMs: number): Promise<void> {
      if (isWanted) reserved = await places.enter(signal);
      else await alarm.wait(timeoutMs);
    },
  };
}
