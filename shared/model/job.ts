import { createHash, hash, randomFillSync } from 'node:crypto';
import type { Json } from './verdict.ts';

/** `network` and `browser` touch targets and hold host slots; `composite` waits for other jobs and holds none. */
export const queueNames = ['network', 'browser', 'composite'] as const;
export type QueueName = (typeof queueNames)[number];

/** Raised when a worker of an older version could not run the job; such a worker puts it back. */
export const jobVersion = 1;

/** One run that a caller asked for. JSON, about 1 kB; payloads only gain fields. */
export type Job = {
  readonly v: number;
  readonly queue: QueueName;
  readonly jobId: string;
  /** The id its report will have; void if the job was joined to an earlier one. */
  readonly reportId: string;
  readonly jobKey: string;
  /** What of the API's release and settings went into the key; a worker makes the key again from it. */
  readonly keyVersion?: string;
  readonly check: string;
  /** The target in normal form: a domain name, or a URL. */
  readonly target: string;
  readonly options: { readonly [name: string]: Json };
  /** Who is counted against the host's slots: a registrable domain, or an address literal. */
  readonly host: string;
  /** Whose turn it is: callers share the slots of hosts and workers. */
  readonly caller: string;
  /** Whose reports alone may answer, and who alone hears of the job; where left out, everybody's (ACCOUNT_CACHE). */
  readonly account?: string;
  /** What its caller shares its turns with, the widest first: an account, or the networks around an address. */
  readonly levels?: readonly string[];
  /** The request that started it, so that the log lines of both can be found by one id. */
  readonly requestId?: string;
  /** The traceparent of the span that asked for it, where requests are traced. */
  readonly trace?: string;
  /** Page loads that its caller may have unfinished; where left out, those of a caller without a token. */
  readonly pages?: number;
  /** Asked for without a token: what is found is no secret. */
  readonly isAnonymous?: boolean;
  readonly wanted: Wanted;
  /** Unix ms; a job whose turn has not come by then expires. */
  readonly startBy: number;
  /** Longest run, from the moment a worker starts it. */
  readonly runLimitMs: number;
};

/** Which stored report answers: one checked at `since` (Unix ms) or later; with `orFresh` also any that is still fresh. */
export type Wanted = { readonly since: number; readonly orFresh: boolean };

/** True when a report answers what is wanted. */
export function answers(
  { checkedAt, freshUntil }: { readonly checkedAt: number; readonly freshUntil: number },
  wanted: Wanted,
  nowMs: number,
): boolean {
  return checkedAt >= wanted.since || (wanted.orFresh && freshUntil > nowMs);
}

const idBytes = 16;
// Asking the system for a page of randomness costs as much as asking for one id.
const pool = Buffer.alloc(4096);
let poolAt = pool.length;

/** 128 random bits, 32 hex digits: not to be guessed, and never all digits with a colon, which BullMQ refuses. */
export function randomId(): string {
  if (poolAt === pool.length) {
    randomFillSync(pool);
    poolAt = 0;
  }
  poolAt += idBytes;
  return pool.toString('hex', poolAt - idBytes, poolAt);
}

/** Tells a text that has the form of a random id from any other. */
export function isRandomId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

/** Two hex digits of a host's hash: which part of a divided queue has its jobs. */
export function hostTag(host: string): string {
  return hash('sha1', host).slice(0, 2);
}

/** The id of a job: 120 random bits and its host's tag, so that a job can be found by its id alone. */
export function drawJobId(host: string): string {
  return `${randomId().slice(0, -2)}${hostTag(host)}`;
}

/** One key for cache, single flight and deduplication: equal questions under equal rules. 26 base32-like characters. */
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
