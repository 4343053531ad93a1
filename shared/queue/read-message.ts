import { z } from 'zod';
import { type Job, jobSchema, type QueueName, queueNames } from '../model/job.ts';
import { type Done, partStates, type Progress } from '../ports/job-queue.ts';
import { parseTraceparent } from '../telemetry/tracing/traceparent.ts';

const text = z.string().min(1).max(4096);
const count = z.number().min(0);
/** No run has as many parts, nor reports that it is judged by. */
const listMost = 30;

const done: z.ZodType<Done> = z.looseObject({
  jobKey: text,
  jobId: text,
  queue: z.enum(queueNames),
  host: text,
  reportId: text.exactOptional(),
  state: z.enum(['done', 'failed', 'expired']),
  tookMs: count,
});

const progress: z.ZodType<Progress> = z.looseObject({
  done: count,
  total: count,
  current: z.string().max(4096),
  parts: z
    .array(z.looseObject({ name: text, state: z.enum(partStates) }))
    .max(listMost)
    .exactOptional(),
  reports: z.array(text).max(listMost).exactOptional(),
});

const isTrace = (trace: string) => parseTraceparent(trace) !== undefined;
const job = jobSchema.extend({ trace: z.string().refine(isTrace).exactOptional() }).loose();

/**
 * Reads a job that comes out of a queue. Fields that a newer version has added stay.
 * @param place where it was found: its own queue and id must be those
 * @returns the job, or the name of the first field that is wrong; "" where it is no object at all
 */
export function readJob(
  value: unknown,
  place: { readonly queue: QueueName; readonly jobId: string },
): { readonly value: Job } | { readonly fault: string } {
  const read = job.safeParse(value);
  if (!read.success) return { fault: String(read.error.issues[0]?.path[0] ?? '') };
  if (read.data.queue !== place.queue) return { fault: 'queue' };
  return read.data.jobId === place.jobId ? { value: read.data } : { fault: 'jobId' };
}

/** Reads a message of the end of a job; undefined for anything else. @param message JSON, or not */
export function readDone(message: string): Done | undefined {
  return done.safeParse(parseJson(message)).data;
}

/** Reads how far a run is; undefined for anything else. @param message JSON, or not; null where there is none */
export function parseProgress(message: string | null): Progress | undefined {
  return message === null ? undefined : progress.safeParse(parseJson(message)).data;
}

/** Undefined for what is no JSON. */
export function parseJson(message: string): unknown {
  try {
    return JSON.parse(message);
  } catch {
    return undefined; // no message of ours
  }
}
