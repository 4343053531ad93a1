import { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Job } from '../../model/job.ts';
import { isRedisAway, refusalOf } from '../../redis.ts';
import type { QueueWorker } from '../port.ts';
import { bullPrefix, workerKey } from './gate.ts';
import { giveUp, type TurnSettings, takeTurn } from './turn.ts';

export type CrewSettings = TurnSettings & {
  readonly redis: Redis;
  readonly concurrency: number;
};

/** A job that loses its worker is run again this long after. Browsers may starve the loop for longer. */
const locks = {
  network: { lockDuration: 6000, stalledInterval: 2000 },
  composite: { lockDuration: 6000, stalledInterval: 2000 },
  browser: { lockDuration: 15_000, stalledInterval: 5000 },
} as const;

/** Which job is at fault for its losses is judged in losses.ts; BullMQ ends a job only after so many. */
const stallsMost = 20;
/** How long, and how many of each queue, finished jobs are kept for callers that poll them; each takes about 1.3 kB. BullMQ's default keeps them all. */
const keepFinished = { age: 600, count: 10_000 };
/** A Redis that refuses work is left alone for so long. */
const refusedPauseMs = 1000;
const heartbeatMs = 5000;
const aliveS = 15;
const afterAbortMs = 1000;

/** Takes jobs of one queue from BullMQ, as many at a time as told, each when its host has room. */
export function openBullmqCrew(settings: CrewSettings): QueueWorker {
  const { redis, queue, concurrency, log, telemetry } = settings;
  const force = new AbortController();
  const busy = new Set<Promise<unknown>>();
  const track = <T>(work: Promise<T>): Promise<T> => {
    const done: Promise<unknown> = work.catch(() => undefined).finally(() => busy.delete(done));
    busy.add(done);
    return work;
  };
  const connection = redis.duplicate();
  connection.on('error', () => undefined); // told once by the connection it was copied from
  const worker = new Worker<Job>(
    queue,
    (job, token) => track(takeTurn(settings, job, token ?? '', force.signal)),
    {
      connection,
      prefix: bullPrefix,
      ...(telemetry ? { telemetry: telemetry.bullmq } : {}),
      concurrency,
      maxStalledCount: stallsMost,
      removeOnComplete: keepFinished,
      removeOnFail: keepFinished,
      ...locks[queue],
    },
  );
  const rest = restWhenRefused(worker, settings);
  worker.on('failed', (job, error) => {
    track(giveUp(settings, job, error)).catch((reason: unknown) =>
      log.error({ err: reason, jobId: job?.id }, 'failed job not given up'),
    );
  });
  const stopBeating = startHeartbeat(settings);
  return {
    async close(graceMs) {
      rest.stop();
      stopBeating();
      // Not worker.close(): it waits for running jobs without an end, and cannot be hurried afterwards.
      await within(graceMs, worker.pause(true));
      await within(graceMs, Promise.all(busy));
      force.abort(new Error('the worker is stopping'));
      await within(afterAbortMs, Promise.all(busy));
      await within(afterAbortMs, worker.close(true));
      // BullMQ closes only what it has opened.
      connection.disconnect();
    },
  };
}

function startHeartbeat({ redis, queue, log }: CrewSettings): () => void {
  // A full Redis takes no SET, but an EXPIRE: its workers are alive still.
  const tell = async () =>
    (await redis.expire(workerKey(queue), aliveS)) === 1 || redis.set(workerKey(queue), '1', 'EX', aliveS);
  const beat = () => void tell().catch((error: unknown) => log.debug({ err: error }, 'no heartbeat'));
  beat();
  const timer = setInterval(beat, heartbeatMs);
  return () => clearInterval(timer);
}

/** BullMQ asks a Redis that refuses work again at once, and again: here it pauses. Each kind of error is logged when it begins. */
function restWhenRefused(worker: Worker<Job>, { queue, log }: CrewSettings): { stop(): void } {
  let last = '';
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  worker.on('active', () => {
    last = '';
  });
  worker.on('error', (error) => {
    const kind = refusalOf(error) ?? error.message;
    if (kind !== last) log.warn({ err: error, queue }, 'queue worker error');
    last = kind;
    if (timer !== undefined || isStopped || !isRedisAway(error)) return;
    void worker.pause(true).catch(() => undefined); // it only marks the worker
    timer = setTimeout(() => {
      timer = undefined;
      void worker
        .resume()
        .catch((reason: unknown) => log.error({ err: reason, queue }, 'worker not resumed'));
    }, refusedPauseMs);
  });
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work.catch(() => undefined), end]); // what is left open here ends with its connection
  clearTimeout(timer);
}
