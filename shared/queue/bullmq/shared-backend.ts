import { type BackendFactory, createRedisBackend, RedisQueueBackend } from 'bullmq';
import type { AnyRedis } from '../../backends/redis.ts';
import type { QueueName } from '../../model/job.ts';
import { answerOfOurs } from './joint-scripts.ts';
import { type Keys, wakeChannel } from './keys.ts';

/** Gives the factory of the backends of one shard. */
export type ShardBackends = (keys: Keys) => BackendFactory<RedisQueueBackend>;

/**
 * BullMQ's backends for the queues of all shards over one client: the first asks the server for its version and defines the scripts, the
 * others share that. BullMQ's own factory would do both, and add listeners, once for each queue of each shard.
 */
export function shareBackend(): ShardBackends {
  let root: RedisQueueBackend | undefined;
  return (keys) => (name, options) => {
    root ??= createRedisBackend(name, options).on('error', () => undefined); // said once by the client itself
    const sibling = root.forQueue(name, keys.bull);
    if (!(sibling instanceof RedisQueueBackend)) throw new TypeError('BullMQ gave a backend of another kind');
    return sibling;
  };
}

/** The same backends; each job that may run now is told of, as the workers of a cluster block on no key. */
export function announceJobs(backends: ShardBackends, redis: AnyRedis): ShardBackends {
  return (keys) => (name, options) => {
    const backend = backends(keys)(name, options);
    const [addJob, promote] = [backend.addJob.bind(backend), backend.promote.bind(backend)];
    const message = wakeMessage(keys, name as QueueName);
    const tell = atMostEvery(wakeEveryMs, () => {
      redis.publish(wakeChannel, message).catch(() => undefined); // workers look by themselves, too
    });
    backend.addJob = async (job, jobId, parent) => {
      const id = await addJob(job, jobId, parent);
      // One that waits for its host or its caller's turn is told of when that has come.
      if (Number(answerOfOurs() ?? 0) === 0) tell();
      return id;
    };
    backend.promote = async (jobId) => {
      await promote(jobId);
      tell();
    };
    return backend;
  };
}

/** A cluster passes each message on to all its nodes, which costs them more than a fetch; a worker that is awake looks for more by itself. */
const wakeEveryMs = 50;

/** Acts at once, and after that once for all calls of so many milliseconds. */
function atMostEvery(ms: number, act: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isAsked = false;
  const rest = () => {
    timer = setTimeout(() => {
      timer = undefined;
      if (!isAsked) return;
      isAsked = false;
      act();
      rest();
    }, ms).unref();
  };
  return () => {
    if (timer) {
      isAsked = true;
      return;
    }
    act();
    rest();
  };
}

/** What is published when a job of this queue of a shard may run. */
export function wakeMessage({ prefix }: Keys, queue: QueueName): string {
  return `${prefix} ${queue}`;
}
