import type { Caller } from '#shared/limits/caller';
import { type InputError, Problem } from '#shared/model/problem';
import type { Watch, WatchTarget } from '#shared/model/watch';
import { nextTurn } from '#shared/model/watch-times';
import type { RatesRead } from '#shared/ports/watch-store';
import { giveBack } from '#shared/time/give-back';
import { faultAt, invalidBody } from '../request/faults.ts';
import { scansPerDay } from './describe.ts';
import type { Understood } from './read-watch.ts';
import type { WatchServices } from './watch-services.ts';

/** What changing a watch takes. */
export type ChangeServices = Pick<WatchServices, 'limits' | 'kept' | 'site' | 'watches' | 'watchLimits'>;

/** Gives the targets of a changed watch their turns. @param before what the watch was when it was changed */
export async function applyTurns(
  { watches }: Pick<WatchServices, 'watches'>,
  before: Watch,
  changed: Watch,
): Promise<void> {
  const isActive = changed.pausedReason === null;
  const isMoved =
    before.everySeconds !== changed.everySeconds || before.pausedReason !== changed.pausedReason;
  const now = Date.now();
  if (!isMoved) return;
  await watches.schedule(changed.watchId, isActive, ({ target, state, dueAt }) => {
    const next = nextTurn(changed, target, now);
    return state === 'new' ? Math.min(dueAt, next) : next;
  });
}

/** Targets whose first turns begin in a second: a watch of thousands holds up no other. */
const firstTurnsASecond = 20;

/** The targets of a watch before their first turn. */
export async function newTargets(
  watch: Watch,
  targets: Understood['targets'],
): Promise<readonly WatchTarget[]> {
  const now = Date.now();
  const made: WatchTarget[] = [];
  for (const one of targets) {
    made.push(newTarget(watch, one, { now, index: made.length }));
    await giveBack();
  }
  return made;
}

/** Its first turn is at once, as nothing is known of it yet; those after it have their own place in the interval. */
function newTarget(
  watch: Watch,
  { target, host }: Understood['targets'][number],
  { now, index }: { readonly now: number; readonly index: number },
): WatchTarget {
  const firstTurn = now + Math.floor((index * 1000) / firstTurnsASecond);
  return {
    watchId: watch.watchId,
    account: watch.account,
    target,
    host,
    dueAt: Math.min(firstTurn, nextTurn(watch, target, now)),
    isActive: watch.pausedReason === null,
    state: 'new',
    reportId: null,
    checkedAt: null,
    score: null,
    grade: null,
    problem: null,
    missed: 0,
    paidFor: null,
    base: null,
    memory: {},
    pending: [],
    second: null,
    expiries: {},
  };
}

/** What is wrong with an interval that is too short. */
export function tooOften(
  { watchLimits }: Pick<WatchServices, 'watchLimits'>,
  everySeconds: number,
): readonly InputError[] {
  if (everySeconds >= watchLimits.minSeconds) return [];
  return [faultAt(['everySeconds'], `Give at least ${watchLimits.minSeconds} seconds.`)];
}

const ratesAtOnce = 200;

/** Throws for an interval that is too short, and for watches that cost more than the account may spend. */
export async function requireFit(services: ChangeServices, caller: Caller, watch: Watch): Promise<void> {
  const { watches, watchLimits } = services;
  const often = tooOften(services, watch.everySeconds);
  if (often.length > 0) throw invalidBody(often);
  if (!watchLimits.isLimited || watch.pausedReason !== null) return;
  const { points, windowS } = caller.quotas.scans;
  const limit = (points / windowS) * 86_400;
  let sum = scansPerDay(services, watch);
  for (let after: string | undefined = ''; after !== undefined;) {
    const page = { except: watch.watchId, after, limit: ratesAtOnce };
    const { rates, next }: RatesRead = await watches.ratesOf(caller.account, page);
    for (const rate of rates) sum += scansPerDay(services, rate);
    after = next === '' ? undefined : next;
    await giveBack();
  }
  if (sum <= limit) return;
  throw new Problem(
    'watch_too_frequent',
    `Your watches would cost ${sum} scans a day; your limit is ${Math.floor(limit)}. Watch fewer targets, or less often.`,
  );
}
