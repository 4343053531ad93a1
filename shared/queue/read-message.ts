import { type Job, type QueueName, queueNames } from '../model/job.ts';
import { type Done, partStates, type Progress } from '../ports/job-queue.ts';
import { parseTraceparent } from '../telemetry/tracing/traceparent.ts';

/** No check may run longer; the longest is a page loaded three times. */
const runLimitMost = 600_000;
/** No text of a job is longer; a URL may have 2,048 characters. */
const textMost = 4096;
/** Levels above a caller. */
const levelsMost = 4;

type Test = (value: unknown) => boolean;
type Shape = { readonly [field: string]: Test };

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText: Test = (value) => typeof value === 'string' && value !== '' && value.length <= textMost;
const isFlag: Test = (value) => typeof value === 'boolean';
const isCount: Test = (value) => Number.isFinite(value) && Number(value) >= 0;
const isQueueName: Test = (value) => queueNames.some((name) => name === value);
const optional =
  (test: Test): Test =>
  (value) =>
    value === undefined || test(value);

const jobShape: Shape = {
  v: isCount,
  queue: isQueueName,
  jobId: isText,
  reportId: isText,
  jobKey: isText,
  check: isText,
  target: isText,
  options: isRecord,
  host: isText,
  caller: isText,
  levels: optional((value) => Array.isArray(value) && value.length <= levelsMost && value.every(isText)),
  keyVersion: optional(isText),
  account: optional(isText),
  isAnonymous: optional(isFlag),
  trace: optional((value) => parseTraceparent(value) !== undefined),
  wanted: (value) => isRecord(value) && Number.isFinite(value['since']) && isFlag(value['orFresh']),
  startBy: isCount,
  runLimitMs: (value) => isCount(value) && Number(value) >= 1 && Number(value) <= runLimitMost,
};

const doneShape: Shape = {
  jobKey: isText,
  jobId: isText,
  queue: isQueueName,
  host: isText,
  reportId: optional(isText),
  state: (value) => value === 'done' || value === 'failed' || value === 'expired',
  tookMs: isCount,
};

/** No run has as many parts, nor reports that it is judged by. */
const listMost = 30;
const isShortList = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.length <= listMost;
const isPart: Test = (value) =>
  isRecord(value) && isText(value['name']) && partStates.some((state) => state === value['state']);

const progressShape: Shape = {
  done: isCount,
  total: isCount,
  current: (value) => typeof value === 'string' && value.length <= textMost,
  parts: optional((value) => isShortList(value) && value.every(isPart)),
  reports: optional((value) => isShortList(value) && value.every(isText)),
};

/** What was read, or the name of the first field that is wrong; "" where it is no object at all. */
export type ReadResult<T> = { readonly value: T } | { readonly fault: string };

function read<T>(value: unknown, shape: Shape): ReadResult<T> {
  if (!isRecord(value)) return { fault: '' };
  const fault = Object.keys(shape).find((field) => !shape[field]?.(value[field]));
  return fault === undefined ? { value: value as T } : { fault };
}

/** Reads a job that comes out of a queue. Fields that a newer version has added stay. @param place where it was found: its own queue and id must be those */
export function readJob(
  value: unknown,
  place: { readonly queue: QueueName; readonly jobId: string | undefined },
): ReadResult<Job> {
  const sent = read<SentJob>(value, jobShape);
  if ('fault' in sent) return sent;
  if (sent.value.queue !== place.queue) return { fault: 'queue' };
  if (sent.value.jobId !== place.jobId) return { fault: 'jobId' };
  const { since, orFresh } = sent.value.wanted;
  return { value: { ...sent.value, wanted: { notBefore: since, acceptFresh: orFresh } } };
}

/** A job as it stands in a queue: there its freshness keeps the names of the first release, as processes of several releases share a queue. */
export type SentJob = Omit<Job, 'wanted'> & {
  readonly wanted: { readonly since: number; readonly orFresh: boolean };
};

/** The form in which `readJob` finds a job again. */
export function toSentJob(job: Job): SentJob {
  const { notBefore, acceptFresh } = job.wanted;
  return { ...job, wanted: { since: notBefore, orFresh: acceptFresh } };
}

/** Reads a message of the end of a job; undefined for anything else. @param text JSON, or not */
export function readDone(text: string): Done | undefined {
  const done = read<Done>(parseJson(text), doneShape);
  return 'value' in done ? done.value : undefined;
}

/** Reads how far a run is; undefined for anything else. */
export function readProgress(value: unknown): Progress | undefined {
  const progress = read<Progress>(value, progressShape);
  return 'value' in progress ? progress.value : undefined;
}

/** The same of its text; undefined where there is none. */
export function parseProgress(text: string | null): Progress | undefined {
  return text === null ? undefined : readProgress(parseJson(text));
}

/** Undefined for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no message of ours
  }
}
