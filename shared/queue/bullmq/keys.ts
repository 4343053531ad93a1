import { keyPrefix } from '../../backends/redis.ts';
import type { QueueName } from '../../model/job.ts';

/** Published at the end of each job, over all shards. */
export const doneChannel = `${keyPrefix}:done`;
/** Published in a cluster when a job may run: the shard and the queue where it waits. */
export const wakeChannel = `${keyPrefix}:wake`;

/** The names of one shard's keys: all of them live in one slot of a cluster, so that a script may use any. */
export type Keys = {
  /** What every one of them begins with: also the shard's name. */
  readonly prefix: string;
  /** BullMQ's prefix; a job's hash is at `<prefix>:<queue>:<id>`. */
  readonly bull: string;
  /** Set while a worker that serves the queue is alive. */
  worker(queue: QueueName): string;
  /** Set while a worker that should serve the queue cannot; its value says what must be done. */
  denied(queue: QueueName): string;
  /** Prefix of the keys of a host's line: `:slots`, `:parked:<queue>`, `:owner`, `:turns`. */
  host(host: string): string;
  /** There for a while after a run of the key has ended. */
  ended(jobKey: string): string;
  /** How far the run of a job is. */
  progress(jobId: string): string;
  /** Whose turn it is at the workers; the keys are below it. */
  readonly turns: string;
  /** What an operator holds back. */
  readonly pauses: string;
  /** Written to learn whether the shard takes jobs. */
  readonly ping: string;
};

/** The names of a shard's keys. @param prefix `diag` for one Redis; in a cluster with the tag that makes the slot, such as `{diag:07}` */
export function keysBelow(prefix: string): Keys {
  return {
    prefix,
    bull: `${prefix}:bull`,
    worker: (queue) => `${prefix}:worker:${queue}`,
    denied: (queue) => `${prefix}:denied:${queue}`,
    host: (host) => `${prefix}:host:${host}`,
    ended: (jobKey) => `${prefix}:ended:${jobKey}`,
    progress: (jobId) => `${prefix}:progress:${jobId}`,
    turns: `${prefix}:turns`,
    pauses: `${prefix}:pauses`,
    ping: `${prefix}:ping`,
  };
}

/** The page loads that a caller or an account has unfinished, over all shards: a key with a slot of its own. */
export function heldPagesKey(party: string): string {
  return `${keyPrefix}:pages:${party}`;
}
