import { createHash, randomFillSync } from 'node:crypto';
import { z } from 'zod';
import type { Json } from './verdict.ts';

/** `network` and `browser` touch targets and hold host slots; `composite` waits for other jobs and holds none. */
export const queueNames = ['network', 'browser', 'composite'] as const;
export type QueueName = (typeof queueNames)[number];

/** Raised when workers of an older version cannot run the job. Such a worker puts it back. */
export const jobVersion = 1;

/** No text of a job is longer; a URL may have 2,048 characters. */
const text = z.string().min(1).max(4096);
const count = z.number().min(0);
// Its check has read it; a reader that went down into it would have no bound.
const json = z.custom<Json>();

/** A job as it stands in a queue, in JSON, about 1 kB. New versions add fields and never remove one. */
export const jobSchema = z.object({
  v: count,
  queue: z.enum(queueNames),
  jobId: text,
  /** The id that its report gets. Unused if the job joined an earlier one. */
  reportId: text,
  jobKey: text,
  /** The part of the key that depends on the API's release and settings. A worker builds the key again from it. */
  keyVersion: text.exactOptional(),
  check: text,
  /** The target in normal form: a domain name, or a URL. */
  target: text,
  options: z.record(z.string(), json).readonly(),
  /** The owner of the slots that it uses: a registrable domain, or an IP address. */
  host: text,
  /** The caller whose turn it uses: callers share the slots of hosts and workers. */
  caller: text,
  /** Set with ACCOUNT_CACHE: only reports of this account may answer, and only this account sees the job. Left out: all accounts share it. */
  account: text.exactOptional(),
  /** The groups that its caller shares turns with, the widest first: an account, or the networks around an address. */
  levels: z.array(text).max(4).readonly().exactOptional(),
  /** The request that started it, so that the log lines of both can be found by one id. */
  requestId: text.exactOptional(),
  /** The traceparent of the span that asked for it, where requests are traced. */
  trace: text.exactOptional(),
  /** Page loads that its caller may have unfinished. Left out: the limit of callers without a token. */
  pages: count.exactOptional(),
  /** True for a job without a token: its report is no secret. */
  isAnonymous: z.boolean().exactOptional(),
  /** True for what nobody waits for, such as a batch or a watch: it comes after what its caller waits for. */
  isBackground: z.boolean().exactOptional(),
  wanted: z.object({ since: z.number(), orFresh: z.boolean() }).readonly(),
  /** Unix ms. The job expires if it has not started by then. */
  startBy: count,
  /** Longest run, from the moment a worker starts it; the longest is a page loaded three times. */
  runLimitMs: z.number().min(1).max(600_000),
});

/** One run that a caller asked for. */
export type Job = Readonly<z.infer<typeof jobSchema>>;

/** What is known of a job after its end, where somebody was told its id: enough to tell what was asked, and where its report is. */
const toldSchema = jobSchema.pick({
  jobId: true,
  queue: true,
  check: true,
  target: true,
  options: true,
  host: true,
  reportId: true,
  account: true,
});
export type ToldJob = Readonly<z.infer<typeof toldSchema>>;

/** That part of a job; undefined for what is none. */
export function readToldJob(value: unknown): ToldJob | undefined {
  return toldSchema.safeParse(value).data;
}

const idBytes = 16;
// Asking the system for 4096 random bytes costs as much as asking for one id.
const pool = Buffer.alloc(4096);
let poolAt = pool.length;

/**
 * Gives 128 random bits as 32 hex digits. They cannot be guessed, and BullMQ takes them: it refuses ids that are numbers or contain a
 * colon.
 */
export function randomId(): string {
  if (poolAt === pool.length) {
    randomFillSync(pool);
    poolAt = 0;
  }
  poolAt += idBytes;
  return pool.toString('hex', poolAt - idBytes, poolAt);
}

/** True for a text that has the form of a random id. */
export function isRandomId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

/**
 * Makes the key for cache, single flight and deduplication: equal questions under equal rules have the same one.
 * @returns 26 base32-like characters
 */
export function makeJobKey(question: {
  check: string;
  target: string;
  options: Job['options'];
  keyVersion: string;
}): string {
  const { check, target, options, keyVersion } = question;
  const sorted = Object.keys(options)
    .sort()
    .map((name) => [name, options[name]]);
  return createHash('sha256')
    .update(JSON.stringify([check, target, sorted, keyVersion]))
    .digest('base64url')
    .slice(0, 26);
}
