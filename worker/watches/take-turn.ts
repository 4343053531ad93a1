import { makeJob } from '#shared/catalogue/make-job';
import { countedPartsOf } from '#shared/catalogue/outline';
import { findSpec } from '#shared/catalogue/registry';
import type { CheckSpec } from '#shared/catalogue/spec';
import { grantOf } from '#shared/model/grant';
import type { Job } from '#shared/model/job';
import { Problem } from '#shared/model/problem';
import type { Watch, WatchTarget } from '#shared/model/watch';
import { nextTurn } from '#shared/model/watch-times';
import type { Quota } from '#shared/ports/rate-limiter';
import type { StoredReport } from '#shared/ports/report-store';
import { costOf, isOffered } from '#shared/settings/offered';
import { readReport } from '#shared/stores/reports/read-report';
import { parseDomain, parseHttpUrl } from '#shared/targets/parse-target';
import type { WatchContext } from './context.ts';
import { judgeReport, judgeMiss } from './judge-report.ts';
import type { Paid } from './owners.ts';
import { pauseWatch } from './pause.ts';

/** A turn of a target that this process has claimed. */
export type Claimed = { readonly target: WatchTarget; readonly claimedUntil: number };

/** Longest that a turn waits for its report before another look; shorter than its claim. */
const waitMs = 40_000;
/** Re-checks an hour at one registrable domain, over all accounts. */
const hostHour = { policy: 'scans', points: 60, windowS: 3600 } as const;

/** Takes the turn of a target: checks it again, and tells what is news. Never rejects for what is foreseen. */
export async function takeTurn(context: WatchContext, claimed: Claimed, signal: AbortSignal): Promise<void> {
  const { target, claimedUntil } = claimed;
  const watch = await context.backend.watches.get(target.watchId);
  const settle = (settled: WatchTarget) => context.backend.watches.settleTarget(settled, claimedUntil);
  // It is not whole yet, or was deleted and will be swept: the claim is over.
  if (!watch) return void (await settle(target));
  // Somebody has paused it since the turn was claimed.
  if (watch.pausedReason !== null) return;
  const spec = findSpec(watch.check);
  const quota = await context.owners.quotaOf(watch.account);
  if (!quota) return pauseWatch(context, watch.watchId, 'token-revoked');
  if (!spec || !isAllowed(context, spec, target))
    return pauseWatch(context, watch.watchId, 'target-refused', target.target);
  try {
    const turn = await recheck(context, { watch, spec, target, quota }, signal);
    if ('again' in turn) return void (await settle({ ...target, ...turn.again }));
    const { settled, deliveries } = await judgeReport(context, watch, target, turn.stored);
    // First what is told: a process that ends in between has told it under a name that the next one gives it, too.
    await context.backend.watches.keepDeliveries(deliveries);
    await settle({ ...settled, dueAt: after(context, watch, target), paidFor: null });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { settled, deliveries } = judgeMiss(context, watch, target, error.code);
    await context.backend.watches.keepDeliveries(deliveries);
    await settle({ ...settled, dueAt: after(context, watch, target), paidFor: null });
  }
}

function after({ now }: WatchContext, watch: Watch, { target }: WatchTarget): number {
  return nextTurn(watch, target, now());
}

function isAllowed({ policy }: WatchContext, { targetKind }: CheckSpec, { target }: WatchTarget): boolean {
  return (targetKind === 'url' ? parseHttpUrl(target, policy) : parseDomain(target, policy)).ok;
}

type WatchTurn = {
  readonly watch: Watch;
  readonly spec: CheckSpec;
  readonly target: WatchTarget;
  readonly quota: Quota;
};
/** The report of a turn, or what is changed in the target until another look. */
type TurnOutcome =
  | { readonly stored: StoredReport }
  | { readonly again: Pick<WatchTarget, 'dueAt' | 'paidFor' | 'problem'> };

/**
 * Has the target checked. The turn's own time says which report answers it: a process that takes the turn over from one that ended joins its
 * run, or finds its report, and runs nothing twice.
 */
async function recheck(context: WatchContext, turn: WatchTurn, signal: AbortSignal): Promise<TurnOutcome> {
  const { target, watch } = turn;
  const { backend, now } = context;
  const job = drawJob(context, turn);
  const known = (await backend.reportStore.findFresh([{ jobKey: job.jobKey, wanted: job.wanted }])).get(
    job.jobKey,
  );
  if (known) return finish(context, watch, known);
  const taken = target.paidFor === target.dueAt ? undefined : await payTurn(context, turn);
  if (typeof taken !== 'number') return waitFor(context, { turn, job, paid: taken }, signal);
  const dueAt = Math.min(now() + taken * 1000, nextTurn(watch, target.target, now()));
  return { again: { dueAt, paidFor: null, problem: 'rate_limited' } };
}

type PaidTurn = { readonly turn: WatchTurn; readonly job: Job; readonly paid: Paid | undefined };

/** Waits for the run of a turn, for a while. What it cost is given back where it did not happen, was another's, or failed through us. */
async function waitFor(
  context: WatchContext,
  { turn, job, paid }: PaidTurn,
  signal: AbortSignal,
): Promise<TurnOutcome> {
  const { waiting, owners } = context;
  const { target, watch } = turn;
  const giveBack = async () => {
    if (paid) await owners.giveBack(paid);
  };
  const outcome = await waiting.wait(job, waitMs, signal).catch(async (error: unknown) => {
    await giveBack();
    throw error;
  });
  if (outcome.kind === 'report') {
    const { stored } = outcome;
    if (stored.jobId !== job.jobId || stored.state === 'failed') await giveBack();
    return finish(context, watch, stored);
  }
  if (outcome.kind === 'later' && outcome.submitted.state !== 'full')
    return { again: { dueAt: target.dueAt, paidFor: target.dueAt, problem: null } };
  await giveBack();
  throw new Problem('overloaded', 'The turn of a re-check did not come in time.');
}

async function finish(context: WatchContext, { account }: Watch, stored: StoredReport): Promise<TurnOutcome> {
  if (stored.state === 'failed') throw new Problem('internal_error', 'The run could not end.');
  await give(context, account, stored);
  return { stored };
}

/** Takes a place at the host and the scans of the account; the seconds to wait where there is none. */
async function payTurn(
  { owners, backend, config }: WatchContext,
  { watch, spec, target, quota }: WatchTurn,
): Promise<Paid | number | undefined> {
  const paid = await owners.pay(
    watch.account,
    quota,
    costOf((one) => isOffered(config, one), spec, watch.options),
  );
  if (typeof paid === 'number' || !config.RATE_LIMIT) return paid;
  const place = await backend.rateLimiter.take(hostHour, `watches of ${target.host}`, 1);
  if (place.allowed) return paid;
  if (paid) await owners.giveBack(paid);
  return Math.max(1, place.resetS);
}

function drawJob({ jobKeyOf, config, now }: WatchContext, { watch, spec, target }: WatchTurn) {
  const owner = config.ACCOUNT_CACHE === 'own' ? watch.account : undefined;
  return makeJob(
    spec,
    {
      jobKey: jobKeyOf(spec, target.target, watch.options, owner),
      keyVersion: jobKeyOf.versionOf(spec, owner),
      target: target.target,
      options: watch.options,
      host: target.host,
      caller: `watches:${watch.account}`,
      levels: [`account:${watch.account}`],
      isAnonymous: false,
      requestId: `watch ${watch.watchId}`,
      ...(owner === undefined ? {} : { account: owner }),
      // Equal watches that are due within the refresh floor share a run; in a lab with short intervals two turns never do.
      wanted: {
        since: target.dueAt - Math.min(spec.refreshFloorS, watch.everySeconds / 2) * 1000,
        orFresh: false,
      },
    },
    now() + config.QUEUE_SECONDS * 1000,
  );
}

/** The account may read the report and the parts that it counts. */
async function give({ backend, config }: WatchContext, account: string, stored: StoredReport): Promise<void> {
  if (!config.REPORT_IDS) return;
  const { reportStore } = backend;
  const parts = await Promise.all(countedPartsOf(readReport(stored)).map((id) => reportStore.get(id)));
  const all = [stored, ...parts.flatMap((part) => (part && !part.isOpen ? [part] : []))];
  await Promise.all(all.map((one) => reportStore.grants.give(account, grantOf(one))));
}
