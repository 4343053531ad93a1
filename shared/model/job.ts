import { createHash, randomFillSync } from 'node:crypto';
import type { Freshness } from './freshness.ts';
import type { Json } from './verdict.ts';

/** `network` and `browser` touch targets and hold host slots; `composite` waits for other jobs and holds none. */
export const queueNames = ['network', 'browser', 'composite'] as const;
export type QueueName = (typeof queueNames)[number];

/** Raised when workers of an older version cannot run the job. Such a worker puts it back. */
export const jobVersion = 1;

/** One run that a caller asked for. JSON, about 1 kB. New versions add fields and never remove one. */
export type Job = {
  readonly v: number;
  readonly queue: QueueName;
  readonly jobId: string;
  /** The id that its report gets. Unused if the job joined an earlier one. */
  readonly reportId: string;
  readonly jobKey: string;
  /** The part of the key that depends on the API's release and settings. A worker builds the key again from it. */
  readonly keyVersion?: string;
  readonly check: string;
  /** The target in normal form: a domain name, or a URL. */
  readonly target: string;
  readonly options: { readonly [name: string]: Json };
  /** The owner of the slots that it uses: a registrable domain, or an IP address. */
  readonly host: string;
  /** The caller whose turn it uses: callers share the slots of hosts and workers. */
  readonly caller: string;
  /**
   * Set with ACCOUNT_CACHE: only reports of this account may answer, and only this account sees the job. Left out: all accounts share it.
   */
  readonly account?: string;
  /** The groups that its caller shares turns with, the widest first: an account, or the networks around an address. */
  readonly levels?: readonly string[];
  /** The request that started it, so that the log lines of both can be found by one id. */
  readonly requestId?: string;
  /** The traceparent of the span that asked for it, where requests are traced. */
  readonly trace?: string;
  /** Page loads that its caller may have unfinished. Left out: the limit of callers without a token. */
  readonly pages?: number;
  /** True for a job without a token: its report is no secret. */
  readonly isAnonymous?: boolean;
  readonly wanted: Freshness;
  /** Unix ms. The job expires if it has not started by then. */
  readonly startBy: number;
  /** Longest run, from the moment a worker starts it. */
  readonly runLimitMs: number;
};

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
