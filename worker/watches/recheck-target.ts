import { ask } from '#shared/ask/ask';
import type { Question } from '#shared/ask/question';
import { questionOfSource } from '#shared/ask/source-question';
import { plainQuestion } from '#shared/catalogue/domain-health/sources';
import { findSpec } from '#shared/catalogue/registry';
import type { CheckSpec } from '#shared/catalogue/spec';
import { type Freshness, freshnessOf } from '#shared/model/freshness';
import { Problem } from '#shared/model/problem';
import type { Watch, WatchTarget } from '#shared/model/watch';
import { nextTurn } from '#shared/model/watch-times';
import type { Quota } from '#shared/ports/rate-limiter';
import type { StoredReport } from '#shared/ports/report-store';
import { ownerOf } from '#shared/settings/policy';
import type { WatchContext } from './context.ts';
import { judgeMiss, judgeReport, judgeSecond, type TurnEnd } from './judge-report.ts';
import { pauseWatch } from './pause.ts';
import { NotPaid, payAsWatch } from './pay-as-watch.ts';

/** A turn of a target that this process has claimed. */
export type Claimed = { readonly target: WatchTarget; readonly claimedUntil: number };

/** Longest that a turn waits for its report before another look; shorter than its claim. */
const waitMs = 40_000;

/** Takes the turn of a target: checks it again, and tells what is news. Never rejects for what is foreseen. */
export async function recheckTarget(
  context: WatchContext,
  claimed: Claimed,
  signal: AbortSignal,
): Promise<void> {
  const { target, claimedUntil } = claimed;
  const { watches } = context.backend;
  const watch = await watches.get(target.watchId);
  const settle = (settled: WatchTarget) => watches.settleTarget(settled, claimedUntil);
  // It is not whole yet, or was deleted and will be swept: the claim is over.
  if (!watch) return void (await settle(target));
  // It was paused after this process had claimed the target.
  if (watch.pausedReason !== null) return;
  const quota = await context.owners.quotaOf(watch.account);
  if (!quota) return pauseWatch(context, watch.watchId, 'token-revoked');
  const turn = turnOf(context, watch, target, quota);
  if (!turn) return pauseWatch(context, watch.watchId, 'target-refused', target.target);
  if (turn.target.second) return lookAgain(context, turn, settle, signal);
  const end = (came: TurnEnd) => endTurn(context, turn, came, settle);
  try {
    const stored = await recheck(context, turn, signal);
    if (stored === 'late') await settle({ ...turn.target, paidFor: target.dueAt, problem: null });
    else if (stored !== 'paused') await end(await judgeReport(context, watch, turn.target, stored));
  } catch (error) {
    if (error instanceof NotPaid) {
      const next = nextTurn(watch, target.target, context.now());
      const dueAt = Math.min(context.now() + error.waitS * 1000, next);
      return void (await settle({ ...turn.target, dueAt, paidFor: null, problem: 'rate_limited' }));
    }
    if (!(error instanceof Problem)) throw error;
    await end(judgeMiss(context, watch, turn.target, error.code));
  }
}

/** What is asked in a turn: the target, or what is looked at a second time. Undefined where it is refused. */
function turnOf(
  context: WatchContext,
  watch: Watch,
  target: WatchTarget,
  quota: Quota,
): WatchTurn | undefined {
  // A watch that was paused and goes on has other times: then the next turn is the second look.
  const second = target.second?.dueAt === target.dueAt ? target.second : null;
  const question = second ? questionOfSecond(context, watch, second) : questionOf(context, watch, target);
  return question && { watch, target: { ...target, second }, quota, question };
}

type Settle = (settled: WatchTarget) => Promise<unknown>;

/** Tells what came of a turn, and sets the next. */
async function endTurn(
  context: WatchContext,
  { watch, target }: Pick<WatchTurn, 'watch' | 'target'>,
  { settled, deliveries }: TurnEnd,
  settle: Settle,
): Promise<void> {
  // First what is reported: a process that ends in between has told it under a name that the next one gives it, too.
  await context.kept.tell(watch.account, deliveries);
  const dueAt = settled.second?.dueAt ?? nextTurn(watch, target.target, context.now());
  await settle({ ...settled, dueAt, paidFor: null });
}

/** Takes the second look at what got better. Where that cannot be, the next turn is it. */
async function lookAgain(
  context: WatchContext,
  turn: WatchTurn,
  settle: Settle,
  signal: AbortSignal,
): Promise<void> {
  const { watch, target } = turn;
  const next = nextTurn(watch, target.target, target.dueAt);
  const leave = () => settle({ ...target, second: null, dueAt: next, paidFor: null });
  try {
    const stored = await recheck(context, turn, signal);
    if (stored === 'paused') return;
    if (stored === 'late') {
      const isOver = next <= context.now();
      return void (await (isOver ? leave() : settle({ ...target, paidFor: target.dueAt })));
    }
    const came = await judgeSecond(context, watch, target, stored);
    if (!came) return void (await leave());
    await endTurn(context, turn, { ...came, settled: { ...came.settled, second: null } }, settle);
  } catch (error) {
    if (!(error instanceof NotPaid || error instanceof Problem)) throw error;
    await leave();
  }
}

/** The question of a second look: the watch's own, or as a domain-health asks it. */
function questionOfSecond(
  context: WatchContext,
  watch: Watch,
  { check, target }: NonNullable<WatchTarget['second']>,
): Question | undefined {
  if (check === watch.check) return questionOf(context, watch, { target });
  const spec = findSpec(check);
  return (
    spec &&
    questionOfSource(context.questions, plainQuestion(spec, target), ownerOf(context.config, watch.account))
  );
}

/** Understands a target anew: a name may have come onto the list of those that are not checked. Undefined where it is refused. */
function questionOf(
  { questions, config }: WatchContext,
  watch: Watch,
  { target }: Pick<WatchTarget, 'target'>,
): Question | undefined {
  const spec = findSpec(watch.check);
  const about = spec && questions.readTarget(spec, target);
  if (!about || 'fault' in about) return undefined;
  return questions.of(spec, { ...about, options: watch.options }, ownerOf(config, watch.account));
}

type WatchTurn = {
  readonly watch: Watch;
  readonly question: Question;
  readonly target: WatchTarget;
  readonly quota: Quota;
};

/** Which report answers a turn. Nothing is compared with the first one, so any that is still fresh does, and costs nothing. */
export function freshnessOfTurn(
  {
    state,
    dueAt,
    second = null,
  }: Pick<WatchTarget, 'state' | 'dueAt'> & Partial<Pick<WatchTarget, 'second'>>,
  { everySeconds }: Pick<Watch, 'everySeconds'>,
  spec: Pick<CheckSpec, 'refreshFloorS'>,
): Freshness {
  if (state === 'new') return freshnessOf(spec, undefined, dueAt);
  // Equal watches that are due within the refresh floor share a run; in a lab with short intervals two looks of one watch never do.
  const refreshFloorS = Math.min(spec.refreshFloorS, everySeconds / (second ? 12 : 2));
  return freshnessOf({ refreshFloorS }, 0, dueAt);
}

/**
 * Has the target checked. The turn's own time says which report answers it: a process that takes the turn over from one that ended joins its
 * run, or finds its report, and runs nothing twice.
 */
async function recheck(
  context: WatchContext,
  turn: WatchTurn,
  signal: AbortSignal,
): Promise<StoredReport | 'late' | 'paused'> {
  const { target, watch, question } = turn;
  // The turn is in the time that all processes share, and the store is asked in this machine's.
  const dueAt = target.dueAt - (context.now() - Date.now());
  const waiting = context.waitingTurns.enter(watch.watchId);
  const { paused } = waiting;
  try {
    const answer = await ask(context.asking, {
      question,
      freshness: freshnessOfTurn({ ...target, dueAt }, watch, question.spec),
      payer: payAsWatch(context, turn),
      account: watch.account,
      origin: { requestId: `watch ${watch.watchId}` },
      waitMs,
      signal,
      withdrawn: paused,
    });
    if (answer.kind !== 'report') return 'late';
    const { stored } = answer.report;
    if (stored.state === 'failed') throw new Problem('internal_error', 'The run could not end.');
    return stored;
  } catch (error) {
    if (paused.aborted && error === paused.reason) return 'paused';
    throw error;
  } finally {
    waiting.leave();
  }
}
