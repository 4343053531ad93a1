import type { Redis } from 'ioredis';
import { type Job, type QueueName, readToldJob, type ToldJob } from '../../model/job.ts';
import { type JobState, notStarted, type Progress } from '../../ports/job-queue.ts';
import { parseJson, parseProgress, readJob } from '../read-message.ts';
import { sendTogether } from '../redis-calls.ts';
import { jobsKey, nodeOf } from './keys.ts';

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
  /** When it has lost its process, Unix ms of Redis. */
  readonly till?: number;
  /** The number of its turn. */
  readonly hand: number;
  /** A report of it may be in the store. */
  readonly stored?: boolean;
  /** The path that it goes by; the first where left out. */
  readonly via?: number;
  /** Nobody waits for it. */
  readonly bg?: boolean;
  /** The id of its report. */
  readonly report: string;
};

/** What stands of a job: its record and its payload; and after its end what was told of it instead. */
export type Turn = { readonly record: JobRecord; readonly payload: string; readonly told: string };

/** Undefined for a job that is not known. */
export async function readTurn(redis: Redis, jobId: string): Promise<Turn | undefined> {
  const [text, payload, told] = await redis.hmget(jobsKey('job', jobId), 'r', 'd', 'e');
  const record = parseJson(text ?? '') as JobRecord | undefined;
  return record && { record, payload: payload ?? '', told: told ?? '' };
}

/** The job of a record as it is now: somebody may wait for it for whom it was not submitted. */
export function readPayload({ record, payload }: Turn, jobId: string): ReturnType<typeof readJob> {
  const read = readJob(parseJson(payload), { queue: record.pool, jobId });
  const isLifted = 'value' in read && read.value.isBackground === true && record.bg !== true;
  return isLifted ? { value: { ...read.value, isBackground: false } } : read;
}

/** What is known of a job of which only its end is. */
export function readTold({ record, told }: Turn): ToldJob | undefined {
  const job = readToldJob(parseJson(told));
  // Who told it may have joined another's.
  return job && { ...job, reportId: record.report };
}

/** A job and where it is; undefined for one that is not known, or of which only its end is. */
export async function readRecord(
  redis: Redis,
  jobId: string,
): Promise<{ readonly record: JobRecord; readonly job: Job } | undefined> {
  const seen = await readTurn(redis, jobId);
  const read = seen && readPayload(seen, jobId);
  return read && 'value' in read ? { record: seen.record, job: read.value } : undefined;
}

/** True where its turn has come: it was handed out, or runs. */
export function isTurn(record: JobRecord): boolean {
  return record.at === 'held' || stateOf(record) === 'running';
}

/** The state of a record, in three words. */
export function stateOf(record: JobRecord): 'waiting' | 'running' | 'done' | 'failed' | 'expired' {
  const { at, back } = record;
  if (at === 'done' || at === 'failed' || at === 'expired') return at;
  return at === 'run' || at === 'away' || back === true ? 'running' : 'waiting';
}

/** What is known of a job. Those who wait for it ask again and again: it takes no script. @param nowMs by Redis' clock */
export async function look(redis: Redis, jobId: string, nowMs: number): Promise<JobState> {
  sendTogether(redis);
  const [seen, progress] = await Promise.all([readTurn(redis, jobId), readProgress(redis, jobId)]);
  // What nobody does any more, as keys were removed, is submitted again by who waits for it.
  if (!seen || isLost(seen.record, nowMs)) return { state: 'unknown' };
  const read = readPayload(seen, jobId);
  const job = 'value' in read ? read.value : undefined;
  const state = stateOf(seen.record);
  if (state !== 'waiting' && state !== 'running') {
    const ended = job ?? readTold(seen);
    return ended ? { state, job: ended } : { state: 'unknown' };
  }
  return job ? lookAtUnfinished(redis, seen.record, job, progress) : { state: 'unknown' };
}

async function lookAtUnfinished(
  redis: Redis,
  record: JobRecord,
  job: Job,
  progress: Progress | undefined,
): Promise<JobState> {
  // What was handed out and tells of progress has begun, though it has no number yet.
  if (stateOf(record) === 'running' || (record.at === 'held' && progress))
    return { state: 'running', progress: progress ?? notStarted, job };
  return lookAtWait(redis, record, job);
}

async function lookAtWait(redis: Redis, record: JobRecord, job: Job): Promise<JobState> {
  const place = await placeOf(redis, record, job.jobId);
  if (place !== undefined) return { state: 'waiting', position: place, job };
  // It went on in this moment, or it waits nowhere.
  const again = await readTurn(redis, job.jobId);
  const isInNone = again?.record.at === record.at && !again.record.back;
  return isInNone ? { state: 'unknown' } : { state: 'waiting', position: 1, job };
}

/** A beat comes every few seconds, and mends it first. */
const lostAfterMs = 15_000;

function isLost(record: JobRecord, nowMs: number): boolean {
  return isTurn(record) && record.till !== undefined && record.till + lostAfterMs < nowMs;
}

/** The place of a waiting job: among those that wait for its host, or among those of its caller; 1 is next. */
export async function placeOf(redis: Redis, record: JobRecord, jobId: string): Promise<number | undefined> {
  const { at, pool, host, who, via = 1 } = record;
  if (at !== 'host' && at !== 'turn') return 1;
  const path = (who[via - 1] ?? who[0])?.path ?? [];
  const key = at === 'host' ? jobsKey('host', pool, host) : jobsKey('own', nodeOf(pool, path));
  const rank = await redis.zrank(key, jobId);
  return rank === null ? undefined : Number(rank) + 1;
}

/** Keeps how far a run is for as long as it may take, in a key that ends by itself: BullMQ's own means is a script and an event that nobody hears. */
export async function tellProgress(
  redis: Redis,
  { jobId, runLimitMs }: Pick<Job, 'jobId' | 'runLimitMs'>,
  progress: Progress,
): Promise<void> {
  // What waits for a Redis that is away would be old when it comes back.
  if (redis.status !== 'ready') return;
  await redis.set(jobsKey('progress', jobId), JSON.stringify(progress), 'PX', Math.ceil(runLimitMs));
}

/** How far a run is; undefined where nothing was reported. */
export async function readProgress(redis: Redis, jobId: string): Promise<Progress | undefined> {
  return parseProgress(await redis.get(jobsKey('progress', jobId)));
}

/** A run that ends sooner tells nothing. */
const firstAfterMs = 500;
/** Who waits for a job asks once a second. */
const everyMs = 1000;

/** What a run says of its progress on the way to those who ask for its job: the latest word, now and then. */
type ProgressTeller = { readonly tell: (progress: Progress) => void; readonly end: () => void };

/** Opens it for one run. @param pass passes a word on */
export function openProgressTeller(pass: (progress: Progress) => Promise<unknown>): ProgressTeller {
  let latest: Progress | undefined;
  let timer: NodeJS.Timeout | undefined;
  let dueMs = firstAfterMs;
  let reportsTold = 0;
  const send = () => {
    clearTimeout(timer);
    timer = undefined;
    dueMs = everyMs;
    reportsTold = latest?.reports?.length ?? 0;
    if (latest) pass(latest).catch(() => undefined); // progress is a courtesy: the run goes on without it
  };
  return {
    tell(progress) {
      latest = progress;
      // Somebody may be waiting for just this: a part that is judged.
      if ((progress.reports?.length ?? 0) > reportsTold) send();
      else timer ??= setTimeout(send, dueMs);
    },
    end: () => clearTimeout(timer),
  };
}
