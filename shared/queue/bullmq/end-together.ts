import { setTimeout as delay } from 'node:timers/promises';
import type { RedisQueueBackend } from 'bullmq';
import { isRedisAway } from '../../backends/redis.ts';
import { type Gate, readHanded } from './gate.ts';
import { handOver, type Queues } from './hand-over.ts';
import { inOneScript, type ScriptWords } from './joint-scripts.ts';

/** What goes with the end of a job in BullMQ, by BullMQ's job: its slot is freed, and those who wait for it are told. */
export type Endings = WeakMap<object, ScriptWords>;

/** Opens them, for one worker. */
export function openEndings(): Endings {
  return new WeakMap<object, ScriptWords>();
}

type EndSettings = {
  readonly queues: Queues;
  readonly gate: Gate;
  readonly endings: Endings;
  /** Aborts when the worker stops, and has waited long enough. */
  readonly signal: AbortSignal;
  /** A worker that stops waits for what it is told of here. */
  readonly track: <T>(work: Promise<T>) => Promise<T>;
};

/** The backend of a worker, which ends each job in BullMQ and at its host in one script; what that hands on is handed on. */
export function endTogether(backend: RedisQueueBackend, settings: EndSettings): RedisQueueBackend {
  const { queues, gate, endings, signal, track } = settings;
  const complete = backend.moveToCompleted.bind(backend);
  backend.moveToCompleted = (...given) => {
    const ours = endings.get(given[0]);
    if (!ours) return complete(...given);
    let handed: ReturnType<typeof readHanded> = [];
    const hear = (answer: unknown) => {
      handed = readHanded(answer as string[]);
    };
    const end = async () => {
      try {
        return await patiently(signal, () => inOneScript(ours, hear, () => complete(...given)));
      } finally {
        // Also where BullMQ has refused the end: the slot is free all the same.
        await patiently(signal, () => handOver(queues, gate, handed));
      }
    };
    return track(end());
  };
  return backend;
}

const retryMs = 1000;

/** Does something idempotent with Redis, again each second while Redis refuses work: a job is not at fault for that. Rejects with any other error, and with the signal's reason. */
export async function patiently<T>(signal: AbortSignal, act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!isRedisAway(error) || signal.aborted) throw error;
    }
    await delay(retryMs, undefined, { signal });
  }
}
