import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '#shared/limits/caller';
import type { Quotas } from '#shared/limits/quotas';
import { Problem } from '#shared/model/problem';
import {
  type Batch,
  type BatchEnd,
  type BatchStore,
  type Lease,
  targetsOfPart,
} from '#shared/ports/batch-store';
import type { Logger } from '#shared/telemetry/logger';
import { giveBack } from '#shared/time/give-back';
import { type AskServices, askTarget, endOf, type AskOutcome, withdrawn } from './ask-target.ts';
import { type FeedTally, openFeedTally } from './feed-tally.ts';
import type { FeedingCallers } from './feeding-caller.ts';
import { openScanPace } from './scan-pace.ts';

/** What feeding takes. */
export type FeedServices = AskServices & {
  readonly store: BatchStore;
  readonly quotas: Quotas;
  readonly callerOf: FeedingCallers;
  readonly log: Logger;
  /** The time that all processes share, Unix ms. */
  readonly now: () => number;
};

/** Targets under way at once: enough for a check that takes some seconds at the pace of a token. */
const mostAtOnce = 50;
const stepMs = 250;
/** How often a feeder says that it is there, looks for a cancellation, and whether the account still has a token. */
const renewEveryMs = 2500;
/** So long a batch waits for the next process after its feeder has died. */
export const leaseMs = 15_000;
/** A target that nobody could check so many times is a failure. */
const mostTries = 20;
const mostTriesOfBrowser = 3;
/** Ends that are read or written in one call. */
const endsAtOnce = 500;
/** Targets that are refused and cost a point of `writes` together. */
const refusedOfPoint = 100;
/** What runs when a batch is cancelled may still end. */
const lastRunsMs = 60_000;

/** One batch while this process feeds it. */
type Feeding = {
  readonly lease: Lease;
  batch: Batch;
  caller: Caller | undefined;
  /** Indexes of targets that are to be asked, with the time from which on. */
  readonly waiting: { readonly index: number; readonly notBefore: number }[];
  /** The first index that was not yet looked at. */
  nextIndex: number;
  readonly ended: Set<number>;
  lastCursor: number;
  readonly unwritten: Omit<BatchEnd, 'cursor'>[];
  readonly tries: Map<number, number>;
  running: number;
  pausedUntil: number;
  renewAt: number;
  /** Aborted when this process hears that it is cancelled. */
  readonly cancelled: AbortController;
  /** When that was. */
  cancelledAt: number | undefined;
  part: { readonly number: number; readonly targets: readonly string[] } | undefined;
  readonly tally: FeedTally;
  /** Targets that were refused and not paid for yet. */
  refused: number;
};

/** Why feeding stopped: the batch has ended, or it is another's now. */
export type Stopped = 'ended' | 'lost';

/** Feeds a batch that was claimed until all its targets have ended. Rejects with the signal's reason, or the Problem of a store that is away. */
export async function feedBatch(
  services: FeedServices,
  claimed: Batch,
  lease: Lease,
  signal: AbortSignal,
): Promise<Stopped> {
  const feeding = await startFeeding(services, claimed, lease);
  const pace = openScanPace(services.quotas);
  const stop = new AbortController();
  const runs = AbortSignal.any([signal, stop.signal]);
  const start: Start = (index, target, caller) =>
    ask(services, feeding, {
      batch: feeding.batch,
      index,
      target,
      caller,
      pace,
      cancelled: feeding.cancelled.signal,
      signal: runs,
    });
  try {
    for (;;) {
      signal.throwIfAborted();
      const how = await takeStep(services, feeding, start, stop);
      if (how !== undefined) return how;
      await delay(stepMs, undefined, { signal });
    }
  } finally {
    stop.abort(new Error('this process feeds the batch no more'));
  }
}

/** One round: the lease, new targets, what has ended. Undefined where there is more to do. */
async function takeStep(
  services: FeedServices,
  feeding: Feeding,
  start: Start,
  stop: AbortController,
): Promise<Stopped | undefined> {
  if (!(await renewInTime(services, feeding))) return 'lost';
  if (feeding.cancelledAt === undefined) await startSome(services, feeding, start);
  if (!(await write(services, feeding))) return 'lost';
  if (feeding.ended.size < feeding.batch.total) {
    if (!isOver(feeding)) return undefined;
    stop.abort(new Error('the batch was cancelled'));
    if (!(await cancelRest(services, feeding))) return 'lost';
  }
  await services.store.finish(feeding.lease, services.now());
  return 'ended';
}

/** True for a batch that was cancelled, once what ran then has ended or is late. */
function isOver({ cancelledAt, running }: Feeding): boolean {
  if (cancelledAt === undefined) return false;
  return running === 0 || performance.now() - cancelledAt > lastRunsMs;
}

async function renewInTime(services: FeedServices, feeding: Feeding): Promise<boolean> {
  if (performance.now() < feeding.renewAt) return true;
  if (!(await renew(services, feeding))) return false;
  feeding.renewAt = performance.now() + renewEveryMs;
  if (feeding.batch.cancelledAt !== null) {
    feeding.cancelledAt ??= performance.now();
    feeding.cancelled.abort(withdrawn);
  }
  return true;
}

async function startFeeding({ store }: FeedServices, batch: Batch, lease: Lease): Promise<Feeding> {
  const ended = new Set<number>();
  const tally = openFeedTally();
  let lastCursor = 0;
  for (;;) {
    const page = await store.listEnds(batch.batchId, lastCursor, endsAtOnce);
    for (const end of page) {
      ended.add(end.index);
      tally.add(end);
      lastCursor = end.cursor;
      await giveBack();
    }
    if (page.length < endsAtOnce) break;
  }
  return {
    lease,
    batch,
    caller: undefined,
    waiting: [],
    nextIndex: 0,
    ended,
    lastCursor,
    unwritten: [],
    tries: new Map(),
    running: 0,
    pausedUntil: 0,
    renewAt: 0,
    cancelled: new AbortController(),
    cancelledAt: undefined,
    part: undefined,
    tally,
    refused: 0,
  };
}

/** Keeps the lease, and cancels the batch of an account without a live token. False where the batch is another's. */
async function renew(services: FeedServices, feeding: Feeding): Promise<boolean> {
  const { store, callerOf, now } = services;
  const renewed = await store.renew(feeding.lease, now() + leaseMs, feeding.running);
  if (!renewed) return false;
  feeding.batch = renewed;
  feeding.caller = await callerOf(renewed.account, now());
  if (!feeding.caller && renewed.cancelledAt === null) {
    await store.cancel(renewed.batchId, now());
    feeding.batch = { ...renewed, cancelledAt: now() };
  }
  return true;
}

type Start = (index: number, target: string, caller: Caller) => void;

/** Starts as many targets as there is room for. */
async function startSome(services: FeedServices, feeding: Feeding, start: Start): Promise<void> {
  const { caller } = feeding;
  if (!caller || performance.now() < feeding.pausedUntil) return;
  const most = feeding.batch.check === 'pagespeed-check' ? (caller.pages ?? 1) : mostAtOnce;
  while (feeding.running < Math.min(most, mostAtOnce)) {
    if (feeding.unwritten.length >= endsAtOnce || !(await payRefused(services, feeding, caller))) return;
    const index = nextOf(feeding);
    if (index === undefined) return;
    const target = await targetAt(services, feeding, index);
    feeding.running += 1;
    start(index, target, caller);
    // A target that is refused has ended by now: without this, all of them would in one turn of the loop.
    await giveBack();
  }
}

/** A target that is refused costs no scan, but a line that is kept. */
async function payRefused({ quotas }: FeedServices, feeding: Feeding, caller: Caller): Promise<boolean> {
  if (feeding.refused < refusedOfPoint) return true;
  const waitS = await quotas.tryWrites(caller, 1);
  if (waitS > 0) feeding.pausedUntil = performance.now() + waitS * 1000;
  else feeding.refused -= refusedOfPoint;
  return waitS === 0;
}

/** What is to be asked again comes before what was not asked yet. */
function nextOf(feeding: Feeding): number | undefined {
  const now = performance.now();
  const ready = feeding.waiting.findIndex(({ notBefore }) => notBefore <= now);
  if (ready >= 0) return feeding.waiting.splice(ready, 1)[0]?.index;
  while (feeding.nextIndex < feeding.batch.total) {
    const index = feeding.nextIndex;
    feeding.nextIndex += 1;
    if (!feeding.ended.has(index)) return index;
  }
  return undefined;
}

async function targetAt({ store }: FeedServices, feeding: Feeding, index: number): Promise<string> {
  const number = Math.floor(index / targetsOfPart);
  if (feeding.part?.number !== number)
    feeding.part = { number, targets: await store.readTargets(feeding.batch.batchId, number) };
  return feeding.part.targets[index % targetsOfPart] ?? '';
}

/** Asks one target, and notes how it ended. */
function ask(services: FeedServices, feeding: Feeding, asked: Parameters<typeof askTarget>[1]): void {
  const { index, cancelled, signal } = asked;
  askTarget(services, asked)
    .catch((error: unknown): AskOutcome => {
      if (signal.aborted || (cancelled.aborted && isAbort(error)))
        return { againInMs: 0, problem: stopped() };
      services.log.error({ err: error, batchId: asked.batch.batchId, index }, 'target of a batch failed');
      return endOf(new Problem('internal_error', 'a defect'));
    })
    .then((outcome) => {
      feeding.running -= 1;
      note(services, feeding, index, outcome);
    })
    .catch((error: unknown) => services.log.error({ err: error }, 'end of a target not noted'));
}

function note(services: FeedServices, feeding: Feeding, index: number, outcome: AskOutcome): void {
  if (!('againInMs' in outcome)) {
    feeding.unwritten.push({ index, endedAt: services.now(), ...outcome });
    if (outcome.outcome === 'refused') feeding.refused += 1;
    return;
  }
  const { againInMs, problem } = outcome;
  const tries = (feeding.tries.get(index) ?? 0) + 1;
  // Running out of scans is no fault of the target, and neither is a service that stops.
  const isPace = problem.policy === 'scans' || problem.code === 'shutting_down';
  const most = problem.code === 'browser_unavailable' ? mostTriesOfBrowser : mostTries;
  if (!isPace && tries >= most) {
    const end = endOf(problem);
    if (!('againInMs' in end)) feeding.unwritten.push({ index, endedAt: services.now(), ...end });
    return;
  }
  if (!isPace) feeding.tries.set(index, tries);
  const notBefore = performance.now() + againInMs;
  feeding.waiting.push({ index, notBefore });
  // What refuses one target of the batch refuses the next one too.
  if (problem.policy !== 'host') feeding.pausedUntil = Math.max(feeding.pausedUntil, notBefore);
}

/** Writes what has ended, in order. False where another feeder writes. */
async function write({ store }: FeedServices, feeding: Feeding): Promise<boolean> {
  const { tally, unwritten } = feeding;
  while (unwritten.length > 0) {
    const ends = unwritten
      .slice(0, endsAtOnce)
      .map((end, at) => ({ ...end, cursor: feeding.lastCursor + 1 + at }));
    if (!(await store.addEnds(feeding.batch.batchId, ends, tally.with(ends)))) return false;
    unwritten.splice(0, ends.length);
    feeding.lastCursor += ends.length;
    for (const end of ends) {
      tally.add(end);
      feeding.ended.add(end.index);
      feeding.tries.delete(end.index);
    }
    await giveBack();
  }
  return true;
}

/** Writes the ends of those that are not wanted any more. */
async function cancelRest(services: FeedServices, feeding: Feeding): Promise<boolean> {
  if (!(await write(services, feeding))) return false;
  for (let index = 0; index < feeding.batch.total; index += 1) {
    if (feeding.ended.has(index)) continue;
    const endedAt = services.now();
    feeding.unwritten.push({ index, outcome: 'cancelled', reportId: null, problem: null, endedAt });
    if (feeding.unwritten.length === endsAtOnce && !(await write(services, feeding))) return false;
  }
  return write(services, feeding);
}

function stopped(): Problem {
  return new Problem('shutting_down', 'This process feeds the batch no more.');
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
