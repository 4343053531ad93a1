import { keyPrefix } from '../../backends/redis.ts';

/** What all keys of the scheduler begin with. A release that keeps its jobs in another way has another. */
export const jobsPrefix = `${keyPrefix}:jobs`;
/** BullMQ's prefix: its queues have the jobs that may run now, and those that run. */
export const bullPrefix = `${keyPrefix}:ready`;
/** A list: one entry for each job of a queue that a worker may take. */
export const wakeKey = (queue: string) => jobsKey('wake', queue);
/** Published at the end of each job. */
export const doneChannel = `${keyPrefix}:done`;

/** A key of the scheduler; scheduler.lua lists them. */
export function jobsKey(...names: readonly string[]): string {
  return [jobsPrefix, ...names].join(':');
}

/** The name of a path in the scheduler's keys. */
export function nodeOf(queue: string, path: readonly string[]): string {
  return [queue, ...path].join('|');
}
