import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { type Job, type QueueName, queueNames } from '../../model/job.ts';
import { bullPrefix, type GateLimits, openGate } from './gate.ts';
import { type Losses, openLosses } from './losses.ts';
import { openPageLine } from './page-line.ts';
import { openPauses, type Pauses } from './pauses.ts';
import type { SharedClock } from './shared-clock.ts';
import type { SubmitSide } from './submit.ts';
import type { QueueTelemetry } from './telemetry.ts';

export type SideLimits = GateLimits & {
  /** Page loads that a caller may have unfinished; where left out they are not counted. */
  readonly pageLimit?: number;
};

export type SideSettings = SideLimits & { readonly telemetry?: QueueTelemetry | undefined };

/** A connection with the queues and the gate over it: one for asking, which fails at once, one for working, which waits. */
export type Side = SubmitSide & { readonly losses: Losses; readonly pauses: Pauses };

/** Opens the queues and the lines over a connection. */
export function openSide(redis: Redis, settings: SideSettings, clock: SharedClock): Side {
  const { telemetry, ...limits } = settings;
  const open = (name: QueueName) => {
    const queue = new Queue<Job>(name, {
      connection: redis,
      prefix: bullPrefix,
      ...(telemetry ? { telemetry: telemetry.bullmq } : {}),
      streams: { events: { maxLen: 100 } },
    });
    queue.on('error', () => undefined); // said once by the connection itself
    return queue;
  };
  return {
    redis,
    gate: openGate(redis, limits),
    pages: openPageLine(redis, limits.pageLimit),
    pageLimit: limits.pageLimit,
    losses: openLosses(redis),
    pauses: openPauses(redis),
    clock,
    telemetry,
    queues: { network: open('network'), browser: open('browser'), composite: open('composite') },
  };
}

/** Closes them, and the connection. */
export async function closeSide({ redis, queues }: Side): Promise<void> {
  await Promise.all(queueNames.map((name) => queues[name].close().catch(() => undefined))); // Redis may be gone already
  redis.disconnect();
}
