import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** What the thread starts with. */
export type CheckpointStart = { readonly path: string };
/** Why there was no checkpoint; nothing where there was one. */
export type CheckpointAnswer = { readonly fault?: string };

/** Copies the log of writes into the database file without holding the loop. */
export type Checkpoints = {
  /** Starts the thread where there is none. Rejects where the disk does not take it, or takes longer than a minute. */
  run(): Promise<void>;
  /** Ends the thread, if there is one: it is kept only while there is much to delete. */
  end(): Promise<void>;
};

const mostMs = 60_000;
const threadFile = new URL('./checkpoint-thread.ts', import.meta.url);
const heapMb = 16;

/** Opens the checkpoints of a database file; a database in memory has no log. */
export function openCheckpoints(path: string): Checkpoints {
  if (path === ':memory:') return { run: async () => undefined, end: async () => undefined };
  let thread: Worker | undefined;
  const end = async () => {
    const ended = thread;
    thread = undefined;
    await ended?.terminate();
  };
  return {
    async run() {
      thread ??= startThread(path);
      try {
        await ask(thread);
      } catch (error) {
        await end();
        throw error;
      }
    },
    end,
  };
}

function startThread(path: string): Worker {
  const thread = new Worker(threadFile, {
    workerData: { path } satisfies CheckpointStart,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  // A process that has nothing else to do may end.
  thread.unref();
  return thread;
}

async function ask(thread: Worker): Promise<void> {
  const gone = new AbortController();
  const leave = () => gone.abort();
  thread.once('exit', leave);
  thread.postMessage('checkpoint');
  const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(mostMs)]);
  const [answer] = (await once(thread, 'message', { signal })) as [CheckpointAnswer];
  thread.off('exit', leave);
  if (answer.fault !== undefined) throw new Error(answer.fault);
}
