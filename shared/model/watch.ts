import { z } from 'zod';
import type { Job } from './job.ts';
import { gradeNames } from './score.ts';
import { severities } from './verdict.ts';

export const pausedReasons = ['owner', 'webhook-gone', 'token-revoked', 'target-refused'] as const;
export type PausedReason = (typeof pausedReasons)[number];

export const notifySchema = z.object({
  webhook: z.object({ url: z.string() }).nullable(),
  email: z.object({ to: z.string() }).nullable(),
  minSeverity: z.enum(severities),
  daysBefore: z.array(z.int()),
});
export type Notify = Readonly<z.infer<typeof notifySchema>>;

const watchSchema = z.object({
  watchId: z.string(),
  account: z.string(),
  label: z.string().nullable(),
  check: z.string(),
  options: z.record(z.string(), z.json()),
  everySeconds: z.int().min(1),
  targetCount: z.int(),
  pausedReason: z.enum(pausedReasons).nullable(),
  notify: notifySchema,
  /** Signs what is sent; the one before signs beside it until then (Unix ms). */
  secret: z.string().nullable(),
  oldSecret: z.object({ text: z.string(), until: z.int() }).nullable(),
  /** The receiver has answered the first test; until then nothing else is sent. */
  isConfirmed: z.boolean(),
  createdAt: z.int(),
  /** False while its targets are written: a process may end in the middle. */
  isWhole: z.boolean(),
});

/** Re-checks of some targets on a schedule. Times are Unix ms. */
export type Watch = Readonly<Omit<z.infer<typeof watchSchema>, 'options'>> & Pick<Job, 'options'>;

export const targetStates = ['new', 'ok', 'news', 'unchecked'] as const;

const memorySchema = z.record(
  z.string(),
  z.object({
    /** What was reported last, and when. */
    told: z.enum(['good', 'bad']),
    toldAt: z.int(),
    /** What is true since. */
    now: z.enum(['good', 'bad']),
    /** How often it was reported in a row without rest. */
    flips: z.int(),
  }),
);
/** What was told of each thing that may change. */
export type Memory = Readonly<z.infer<typeof memorySchema>>;

const targetSchema = z.object({
  watchId: z.string(),
  account: z.string(),
  /** In normal form. */
  target: z.string(),
  /** The registrable domain, or the address literal. */
  host: z.string(),
  /** When its next turn is; may lie behind. */
  dueAt: z.int(),
  isActive: z.boolean(),
  state: z.enum(targetStates),
  reportId: z.string().nullable(),
  checkedAt: z.int().nullable(),
  score: z.number().nullable(),
  grade: z.enum(gradeNames).nullable(),
  /** The code of the problem that the last turn met. */
  problem: z.string().nullable(),
  /** Turns in a row without a report. */
  missed: z.int(),
  /** The turn (its `dueAt`) that is paid for, where its report is still waited for. */
  paidFor: z.int().nullable(),
  /** The packed outline that the next report is compared with, base64; null before the first. */
  base: z.string().nullable(),
  memory: memorySchema,
  /** What got better in one look alone, by its names: told once another look says so, too. */
  pending: z.array(z.string()).default([]),
  /** The one check that is made again to confirm it, in the turn of that moment; null where there is none. */
  second: z.object({ check: z.string(), target: z.string(), dueAt: z.int() }).nullable().default(null),
  /** Of what expires: the least number of days that was told, by its name and end. */
  expiries: z.record(z.string(), z.number()),
});
export type WatchTarget = Readonly<z.infer<typeof targetSchema>>;

export const deliveryChannels = ['webhook', 'feed', 'email'] as const;
export const deliveryStates = ['pending', 'delivered', 'retrying', 'dead'] as const;
export const eventTypes = [
  'watch.changed',
  'watch.expiring',
  'watch.recovered',
  'watch.unchecked',
  'watch.paused',
  'watch.test',
] as const;
export type EventType = (typeof eventTypes)[number];

const deliverySchema = z.object({
  deliveryId: z.string(),
  watchId: z.string(),
  account: z.string(),
  /** `feed`: it is told by the feed alone. An event that is also sent by e-mail has a second delivery for that. */
  channel: z.enum(deliveryChannels),
  type: z.enum(eventTypes),
  target: z.string().nullable(),
  createdAt: z.int(),
  state: z.enum(deliveryStates),
  attempts: z.int(),
  /** When it is sent next; null where it is not, or waits for the first test. */
  nextAttemptAt: z.int().nullable(),
  httpStatus: z.int().nullable(),
  failure: z.string().nullable(),
  /** What it is sent after: a mailbox that is not confirmed yet, or the digest that will tell of it. */
  waitsFor: z.string().nullable().default(null),
  /** Wanted by its owner beyond the schedule: it costs a scan. */
  isExtra: z.boolean(),
  expiresAt: z.int(),
  /** The event as it is sent, byte for byte the same each time. */
  body: z.string(),
});
/** An event of a watch, and how its sending stands. */
export type Delivery = Readonly<z.infer<typeof deliverySchema>>;

/** The watch, target or delivery of a row. Each throws for a row that fits no schema of ours. */
export const readWatch = (row: unknown): Watch => watchSchema.parse(row) as Watch;
export const readWatchTarget = (row: unknown): WatchTarget => targetSchema.parse(row);
export const readDelivery = (row: unknown): Delivery => deliverySchema.parse(row);

/** What the cost of a watch depends on, beside how many targets it has, as one text: watches of one rate are summed up by it. */
export function rateTextOf({
  check,
  options,
  everySeconds,
}: Pick<Watch, 'check' | 'options' | 'everySeconds'>): string {
  return JSON.stringify([check, options, everySeconds]);
}

const rateSchema = z.tuple([z.string(), z.record(z.string(), z.json()), z.int().min(1)]);

/** Reads such a text. */
export function readRateText(text: string): Pick<Watch, 'check' | 'options' | 'everySeconds'> {
  const [check, options, everySeconds] = rateSchema.parse(JSON.parse(text));
  return { check, options: options as Watch['options'], everySeconds };
}
