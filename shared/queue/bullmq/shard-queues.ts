import { createRedisBackend, Queue } from 'bullmq';
import { type AnyRedis, isCluster } from '../../backends/redis.ts';
import { type Job, type QueueName, queueNames } from '../../model/job.ts';
import { type GateLimits, openGate, ourScripts } from './gate.ts';
import { joinScripts } from './joint-scripts.ts';
import type { Keys } from './keys.ts';
import { type LostRuns, openLostRuns } from './lost-runs.ts';
import { openPageLine } from './page-line.ts';
import { openPauses, type PauseStore } from './pauses.ts';
import { openProgressBoard, type ProgressBoard } from './progress.ts';
import { announceJobs, type ShardBackends, shareBackend } from './shared-backend.ts';
import type { SharedClock } from './shared-clock.ts';
import type { SubmitQueues } from './submit.ts';
import type { QueueTelemetry } from './telemetry.ts';

export type ShardLimits = GateLimits & {
  /** Page loads that a caller may have unfinished; where left out they are not counted. */
  readonly pageLimit?: number;
};

export type ShardSettings = ShardLimits & { readonly telemetry?: QueueTelemetry | undefined };

/** The queues and the gate of one shard over a connection: one for asking, which fails at once, one for working, which waits. */
export type ShardQueues = SubmitQueues & {
  readonly keys: Keys;
  readonly lostRuns: LostRuns;
  readonly pauses: PauseStore;
  readonly board: ProgressBoard;
};

/** Those of each shard. */
export type QueuesByShard = readonly [ShardQueues, ...ShardQueues[]];

/** Opens the queues and the lines of every shard over one connection. */
export function openQueuesByShard(
  redis: AnyRedis,
  shards: readonly [Keys, ...Keys[]],
  { telemetry, ...limits }: ShardSettings,
  clock: SharedClock,
): QueuesByShard {
  const backends = isCluster(redis) ? announceJobs(shareBackend(), redis) : undefined;
  const [first, ...others] = shards;
  const open = (keys: Keys): ShardQueues => ({
    redis,
    keys,
    gate: openGate(redis, keys, { ...limits, shards: shards.length }),
    pages: openPageLine(redis, limits.pageLimit),
    pageLimit: limits.pageLimit,
    lostRuns: openLostRuns(redis, keys),
    pauses: openPauses(redis, keys),
    board: openProgressBoard(redis, keys),
    clock,
    telemetry,
    queues: {
      network: openQueue('network', { redis, keys, backends, telemetry }),
      browser: openQueue('browser', { redis, keys, backends, telemetry }),
      composite: openQueue('composite', { redis, keys, backends, telemetry }),
    },
  });
  return [open(first), ...others.map(open)];
}

type ShardContext = {
  readonly redis: AnyRedis;
  readonly keys: Keys;
  readonly backends: ShardBackends | undefined;
  readonly telemetry: QueueTelemetry | undefined;
};

function openQueue(name: QueueName, { redis, keys, backends, telemetry }: ShardContext): Queue<Job> {
  const options = {
    connection: redis,
    prefix: keys.bull,
    ...(telemetry ? { telemetry: telemetry.bullmq } : {}),
    streams: { events: { maxLen: 100 } },
  };
  const openBackend = backends?.(keys) ?? createRedisBackend;
  const queue = new Queue<Job>(name, options, (...asked) =>
    joinScripts(openBackend(...asked), redis, ourScripts),
  );
  queue.on('error', () => undefined); // said once by the connection itself
  return queue;
}

/** Closes them, and the connection. */
export async function closeQueuesByShard(queuesByShard: QueuesByShard): Promise<void> {
  const queues = queuesByShard.flatMap((shardQueues) => queueNames.map((name) => shardQueues.queues[name]));
  await Promise.all(queues.map((queue) => queue.close().catch(() => undefined))); // Redis may be gone already
  queuesByShard[0].redis.disconnect();
}
