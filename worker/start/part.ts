import type { Part, ProcessContext } from '#shared/lifecycle/process';
import { openWorker } from './open.ts';

/** A run may take 20 s; one that takes longer is given to another worker when this one is told to stop. */
export const runGraceMs = 25_000;

/** The workers of a process as a part of it. */
export async function workerPart(context: ProcessContext): Promise<Part> {
  const worker = openWorker({ ...context, isApart: true });
  await worker.ready;
  const { WORKER_QUEUES } = context.config;
  return {
    says: { queues: WORKER_QUEUES },
    readiness: worker.readiness,
    about: worker.about,
    // Without a browser, checks of the network queue go on.
    canWork: ({ queue, store, clock = true, browser, announced }) =>
      queue === true &&
      store === true &&
      clock === true &&
      announced === true &&
      (browser === true || WORKER_QUEUES.includes('network')),
    close: (graceMs) => worker.close(graceMs),
  };
}
