import type { Redis } from 'ioredis';
import type { Job, QueueName } from '../../model/job.ts';
import { type JobState, notStarted } from '../../ports/job-queue.ts';
import { readJob } from '../read-message.ts';
import { jobsKey, nodeOf } from './keys.ts';
import { readProgress } from './progress.ts';
import { sendTogether } from './within-time.ts';

/** Where a job is, as scheduler.lua writes it down. */
export type JobRecord = {
  readonly at: 'host' | 'turn' | 'held' | 'run' | 'away' | 'asleep' | 'done' | 'failed' | 'expired';
  readonly pool: QueueName;
  readonly host: string;
  readonly who: readonly { readonly by: string; readonly path: readonly string[] }[];
  readonly by: number;
  readonly born: number;
  /** A run that waits for its place. */
  readonly back?: boolean;
};

/** A job and where it is; undefined for one that is not known. */
export async function readRecord(
  redis: Redis,
  jobId: string,
): Promise<{ readonly record: JobRecord; readonly job: Job } | undefined> {
  const [text, payload] = await redis.hmget(jobsKey('job', jobId), 'r', 'd');
  if (typeof text !== 'string' || typeof payload !== 'string') return undefined;
  const record = JSON.parse(text) as JobRecord;
  const read = readJob(JSON.parse(payload), { queue: record.pool, jobId });
  return 'fault' in read ? undefined : { record, job: read.value };
}

/** The state of a record, in three words. */
export function stateOf({ at, back }: JobRecord): 'waiting' | 'running' | 'done' | 'failed' | 'expired' {
  if (at === 'done' || at === 'failed' || at === 'expired') return at;
  return at === 'run' || at === 'away' || back === true ? 'running' : 'waiting';
}

/** What is known of a job. Those who wait for it ask again and again: it takes no script. */
export async function look(redis: Redis, queue: QueueName, jobId: string): Promise<JobState> {
  sendTogether(redis);
  const [found, progress] = await Promise.all([readRecord(redis, jobId), readProgress(redis, jobId)]);
  if (!found || found.record.pool !== queue) return { state: 'unknown' };
  const { record, job } = found;
  const state = stateOf(record);
  if (state === 'running') return { state, progress: progress ?? notStarted, job };
  if (state !== 'waiting') return { state, job };
  return { state, position: (await placeOf(redis, record, jobId)) ?? 1, job };
}

/** The place of a waiting job: in the line of its host, or among those of its caller; 1 is next. */
export async function placeOf(redis: Redis, record: JobRecord, jobId: string): Promise<number | undefined> {
  const { at, pool, host, who } = record;
  const line = at === 'host' ? jobsKey('host', pool, host) : jobsKey('own', nodeOf(pool, who[0]?.path ?? []));
  const rank = at === 'host' || at === 'turn' ? await redis.zrank(line, jobId) : null;
  return rank === null ? undefined : Number(rank) + 1;
}
