import { setTimeout as delay } from 'node:timers/promises';
import type { AccountCallers } from '#shared/limits/account-callers';
import type { Caller } from '#shared/limits/caller';
import type { Quotas } from '#shared/limits/quotas';
import { openScanPace } from '#shared/limits/scan-pace';
import { Problem } from '#shared/model/problem';
import type { Batch, BatchStore } from '#shared/ports/batch-store';
import type { Lease, Leases } from '#shared/stores/batches/leases';
import type { Logger } from '#shared/telemetry/logger';
import { giveBack } from '#shared/time/give-back';
import { type AskServices, askTarget, endOf, type AskOutcome, withdrawn } from './ask-target.ts';
import { type Ends, readEnds } from './ends.ts';
import { type NextTarget, openTargets, type Targets } from './targets.ts';

/** What feeding takes. */
export type FeedServices = AskServices & {
  readonly store: BatchStore;
  readonly leases: Leases;
  readonly quotas: Quotas;
  readonly callerOf: AccountCallers;
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
/** After this many failed tries, a target counts as failed. */
const mostTries = 20;
const mostTriesOfBrowser = 3;
/** Targets that are refused and cost a point of `writes` together. */
const refusedOfPoint = 100;
/** What runs when a batch is cancelled may still end. */
const lastRunsMs = 60_000;

/** One batch while this process feeds it. */
type Feeding = {
  readonly lease: Lease;
  readonly ends: Ends;
  readonly targets: Targets;
  batch: Batch;
  caller: Caller | undefined;
  running: number;
  renewAt: number;
  /** Aborted when this process hears that it is cancelled. */
  readonly cancelled: AbortController;
  /** Until when what runs then may end. */
  endsBy: number;
  /** Targets that were refused and not paid for yet. */
  refused: number;
};

/** Asks one target, and notes how it ended. Never rejects. */
type Start = (target: NextTarget, text: string, caller: Caller) => Promise<void>;

/** Why feeding stopped: the batch has ended, or it is another's now. */
export type Stopped = 'ended' | 'lost';

/** Feeds a batch that was claimed until all its targets have ended. Rejects with the signal's reason, or the Problem of a store that is away. */
export async function feedBatch(
  services: FeedServices,
  batch: Batch,
  lease: Lease,
  signal: AbortSignal,
): Promise<Stopped> {
  const ends = await readEnds(services.store, batch);
  const targets = openTargets(services.store, batch, (index) => ends.has(index));
  const cancelled = new AbortController();
  const state = { running: 0, renewAt: 0, endsBy: Number.POSITIVE_INFINITY, refused: 0, caller: undefined };
  const feeding: Feeding = { lease, ends, targets, batch, cancelled, ...state };
  const stop = new AbortController();
  const start = openStart(services, feeding, AbortSignal.any([signal, stop.signal]));
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
  const { ends, cancelled } = feeding;
  if (!(await renewInTime(services, feeding))) return 'lost';
  if (!cancelled.signal.aborted) await startSome(services, feeding, start);
  if (!(await ends.write())) return 'lost';
  if (cancelled.signal.aborted && (feeding.running === 0 || performance.now() > feeding.endsBy)) {
    stop.abort(new Error('the batch was cancelled'));
    if (!(await cancelRest(services, feeding))) return 'lost';
  }
  if (ends.count() < feeding.batch.total) return undefined;
  await services.leases.finish(feeding.lease, services.now());
  return 'ended';
}

/** Keeps the lease, and cancels the batch of an account without a live token. False where the batch is another's. */
async function renewInTime(services: FeedServices, feeding: Feeding): Promise<boolean> {
  const { leases, callerOf, now } = services;
  if (performance.now() < feeding.renewAt) return true;
  const renewed = await leases.renew(feeding.lease, now() + leaseMs, feeding.running);
  if (!renewed) return false;
  feeding.caller = await callerOf(renewed.account, ['tools'], now());
  feeding.batch = feeding.caller ? renewed : ((await leases.cancel(renewed.batchId, now())) ?? renewed);
  feeding.renewAt = performance.now() + renewEveryMs;
  if (feeding.batch.cancelledAt !== null && !feeding.cancelled.signal.aborted) {
    feeding.endsBy = performance.now() + lastRunsMs;
    feeding.cancelled.abort(withdrawn);
  }
  return true;
}

/** Starts as many targets as there is room for. */
async function startSome(services: FeedServices, feeding: Feeding, start: Start): Promise<void> {
  const { caller, targets, ends, batch } = feeding;
  if (!caller) return;
  const most = batch.check === 'pagespeed-check' ? (caller.pages ?? 1) : mostAtOnce;
  while (feeding.running < Math.min(most, mostAtOnce) && !ends.isFull()) {
    if (!(await payRefused(services, feeding, caller))) return;
    const next = targets.next();
    if (!next) return;
    const text = await targets.textOf(next.index);
    feeding.running += 1;
    void start(next, text, caller).finally(() => {
      feeding.running -= 1;
    });
    // A target that is refused has ended by now: without this, all of them would in one turn of the loop.
    await giveBack();
  }
}

/** A target that is refused costs no scan, but a line that is kept. */
async function payRefused({ quotas }: FeedServices, feeding: Feeding, caller: Caller): Promise<boolean> {
  if (feeding.refused < refusedOfPoint) return true;
  const waitS = await quotas.tryWrites(caller, 1);
  if (waitS > 0) feeding.targets.pause(waitS * 1000);
  else feeding.refused -= refusedOfPoint;
  return waitS === 0;
}

function openStart(services: FeedServices, feeding: Feeding, signal: AbortSignal): Start {
  const pace = openScanPace(services.quotas);
  const cancelled = feeding.cancelled.signal;
  return async (target, text, caller) => {
    const asked = { batch: feeding.batch, target: text, caller, pace, cancelled, signal };
    const outcome = await askTarget(services, asked).catch((error: unknown): AskOutcome => {
      if (signal.aborted || cancelled.aborted) return { againInMs: 0, problem: withdrawn };
      const { batchId } = feeding.batch;
      services.log.error({ err: error, batchId, index: target.index }, 'target of a batch failed');
      return endOf(new Problem('internal_error', 'a defect'));
    });
    note(services, feeding, target, outcome);
  };
}

function note(services: FeedServices, feeding: Feeding, target: NextTarget, outcome: AskOutcome): void {
  const { ends, targets } = feeding;
  if (!('againInMs' in outcome)) {
    if (outcome.outcome === 'refused') feeding.refused += 1;
    return ends.add({ index: target.index, endedAt: services.now(), ...outcome });
  }
  const { againInMs, problem } = outcome;
  // Running out of scans is no fault of the target, and neither is a service that stops.
  const isPace = problem.policy === 'scans' || problem.code === 'shutting_down';
  const tries = target.tries + (isPace ? 0 : 1);
  const most = problem.code === 'browser_unavailable' ? mostTriesOfBrowser : mostTries;
  if (tries >= most) return note(services, feeding, target, endOf(problem));
  targets.again({ ...target, tries }, againInMs, problem.policy === 'host');
}

/** Ends those that are not wanted any more. */
async function cancelRest({ now }: FeedServices, { ends, batch }: Feeding): Promise<boolean> {
  for (let index = 0; index < batch.total; index += 1) {
    if (ends.has(index)) continue;
    ends.add({ index, outcome: 'cancelled', reportId: null, problem: null, endedAt: now() });
    if (ends.isFull() && !(await ends.write())) return false;
  }
  return ends.write();
}
