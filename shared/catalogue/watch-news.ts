import { severities } from '../model/verdict.ts';
import type { Memory, Notify, WatchTarget } from '../model/watch.ts';
import { codeToday } from './change.ts';
import { type News, newsBetween } from './news.ts';
import { carryOver, type Expiry, type Outline } from './outline.ts';
import { catalogue } from './registry.ts';

/** What a turn is judged by. */
export type TurnInput = {
  /** What the last comparable report said; undefined before the first. */
  readonly from: Outline | undefined;
  readonly to: Outline;
  /** What this look itself saw, where `to` has what is believed instead. */
  readonly seen?: Outline | undefined;
  readonly memory: Memory;
  readonly expiries: WatchTarget['expiries'];
  readonly notify: Pick<Notify, 'minSeverity' | 'daysBefore'>;
  readonly everySeconds: number;
  /** Unix ms. */
  readonly now: number;
};

/** Something that ends soon. */
export type EndsSoon = Pick<Expiry, 'what' | 'name' | 'expiresAt'> & { readonly daysLeft: number };

export type TurnNews = {
  /** What is reported now, the gravest first; empty where nothing is. */
  readonly news: readonly News[];
  readonly endings: readonly EndsSoon[];
  readonly memory: Memory;
  readonly expiries: WatchTarget['expiries'];
  /** What the next report is compared with. */
  readonly base: Outline | undefined;
};

/** Judges what of a new report to announce. Pure. */
export function judgeTurn(turn: TurnInput): TurnNews {
  const { from, to, memory } = turn;
  // A run of ours that failed says nothing of the target.
  if (to.reports[0]?.state === 'failed')
    return { news: [], endings: [], memory, expiries: turn.expiries, base: from };
  const ending = judgeEndings(turn);
  if (!from) return { news: [], memory, base: to, ...ending };
  const found = newsBetween(from, to).filter((news) => isGraveEnough(news, turn.notify));
  return { ...remember(found, turn), base: carryOver(from, to), ...ending };
}

function isGraveEnough({ severity, kind }: News, { minSeverity }: TurnInput['notify']): boolean {
  // That a grade rose, or a target is back, is of no severity; whether the fall was reported decides.
  if (kind === 'grade' || kind === 'state') return true;
  return severities.indexOf(severity) <= severities.indexOf(minSeverity);
}

const isGood = ({ kind, severity }: News) =>
  kind === 'finding-fixed' || ((kind === 'grade' || kind === 'state') && severity === 'info');

/** Each thing by one name, whether it got worse or better. */
function nameOf({ kind, category, code }: News): string {
  return kind === 'grade' || kind === 'state' ? kind : `finding ${category ?? ''} ${code ?? ''}`;
}

/** A name of before under the codes of today. */
function nameToday({ reports }: Outline, name: string): string {
  const [, category, code] = /^finding (\S*) (\S*)$/.exec(name) ?? [];
  if (category === undefined || code === undefined) return name;
  const part = reports.find(({ categories = {} }) => Object.hasOwn(categories, category)) ?? reports[0];
  return `finding ${category} ${part ? codeToday(part.check, code) : code}`;
}

/** Turns without a change after which a thing has come to rest, and the least time for it. */
const restTurns = 6;
const leastRestMs = 3_600_000;
/** A thing may be reported as bad and as good again; what goes on changing after that is reported when it has come to rest. */
const mostFlips = 2;
const mostRemembered = 200;

function remember(found: readonly News[], turn: TurnInput): Pick<TurnNews, 'news' | 'memory'> {
  const { now } = turn;
  const restMs = Math.max(leastRestMs, turn.everySeconds * 1000 * restTurns);
  const memory = new Map(
    Object.entries(turn.memory).map(([name, known]) => [nameToday(turn.to, name), known] as const),
  );
  const told: News[] = [];
  for (const news of found) {
    const name = nameOf(news);
    const known = memory.get(name);
    const state = isGood(news) ? 'good' : 'bad';
    const hasRested = known === undefined || now - known.toldAt >= restMs;
    if (isTold(news, known, turn.notify) && mayTell(known, state, hasRested)) {
      told.push(news);
      memory.set(name, { told: state, toldAt: now, now: state, flips: hasRested ? 1 : known.flips + 1 });
    } else if (known) memory.set(name, { ...known, now: state });
  }
  told.push(...restedSince(turn, memory, found, restMs));
  return { news: told, memory: Object.fromEntries([...memory].slice(-mostRemembered)) };
}

function mayTell(known: Memory[string] | undefined, state: 'good' | 'bad', hasRested: boolean): boolean {
  if (!known) return true;
  if (known.told === state) return state === 'bad' && hasRested;
  return hasRested || known.flips < mostFlips;
}

// A rise of the grade and a target that is back are reported where the fall was; a fall where it is grave enough.
function isTold(
  news: News,
  known: Memory[string] | undefined,
  { minSeverity }: TurnInput['notify'],
): boolean {
  if (news.kind !== 'grade' && news.kind !== 'state') return true;
  if (isGood(news)) return known !== undefined;
  return severities.indexOf(news.severity) <= severities.indexOf(minSeverity);
}

/** What went on changing while nothing was told of it, and has stayed as it is since: told now. */
function restedSince(
  turn: TurnInput,
  memory: Map<string, Memory[string]>,
  found: readonly News[],
  restMs: number,
): readonly News[] {
  const changed = new Set(found.map(nameOf));
  return [...memory].flatMap(([name, known]): News[] => {
    const isDue = known.now !== known.told && turn.now - known.toldAt >= restMs && !changed.has(name);
    if (!isDue || !isSeenSo(turn.seen ?? turn.to, name, known.now)) return [];
    memory.set(name, { told: known.now, toldAt: turn.now, now: known.now, flips: 1 });
    return [wordsOfRest(turn.to, name, known.now)];
  });
}

/** Whether this look saw that it is so: what it could not look at is not said to be still there. */
function isSeenSo({ reports }: Outline, name: string, now: 'good' | 'bad'): boolean {
  const [, , code] = /^finding (\S*) (\S*)$/.exec(name) ?? [];
  const own = reports[0]?.state;
  if (code === undefined)
    return name === 'state' ? (own === 'unreachable') === (now === 'bad') : own === 'complete';
  return reports.some(({ check, findings, passed }) =>
    now === 'bad'
      ? findings.some((finding) => codeToday(check, finding.code) === code)
      : passed.some((one) => codeToday(check, one) === code),
  );
}

function wordsOfRest(to: Outline, name: string, now: 'good' | 'bad'): News {
  const isBad = now === 'bad';
  const still = isBad ? 'Still there' : 'Still good';
  const [, category, code] = /^finding (\S*) (\S*)$/.exec(name) ?? [];
  if (code === undefined) {
    const title = `The ${name} went up and down`;
    const kind = name === 'state' ? 'state' : 'grade';
    const text = `${still} after that: the ${name} ${isBad ? 'is lower' : 'is as before'}.`;
    return { kind, code: null, category: null, severity: isBad ? 'medium' : 'info', title, fix: null, text };
  }
  const finding = to.reports.flatMap(({ findings }) => findings).find((one) => one.code === code);
  const { title, severity, fix } = finding ?? { title: titleOf(code), severity: 'info', fix: '' };
  return {
    kind: isBad ? 'finding-added' : 'finding-fixed',
    code,
    category: category === '' ? null : (category ?? null),
    severity,
    title,
    fix: isBad ? fix : null,
    text: `${still} after it came and went: ${title}.`,
  };
}

function titleOf(code: string): string {
  return catalogue.find(({ rules }) => Object.hasOwn(rules, code))?.rules[code]?.title ?? code;
}

/** What the days of a watch count for; what else ends is reported once, with a fifth of its lifetime left. */
const counted: ReadonlySet<string> = new Set(['domain', 'certificate', 'security-txt']);
const dayMs = 86_400_000;

function judgeEndings({ to, expiries, notify, now }: TurnInput): Pick<TurnNews, 'endings' | 'expiries'> {
  const endings: EndsSoon[] = [];
  const told: Record<string, number> = {};
  for (const { what, name, expiresAt, lifetimeDays } of to.expiries) {
    const key = `${what} ${name} ${expiresAt}`;
    const daysLeft = (Date.parse(expiresAt) - now) / dayMs;
    const least = Math.min(
      ...thresholdsOf(what, lifetimeDays, notify.daysBefore).filter((days) => daysLeft <= days),
    );
    const before = expiries[key];
    if (before !== undefined) told[key] = before;
    if (!Number.isFinite(least) || (before !== undefined && before <= least)) continue;
    told[key] = least;
    endings.push({ what, name, expiresAt, daysLeft: Math.floor(daysLeft) });
  }
  return { endings, expiries: told };
}

/** The days before its end at which a thing is told of. */
function thresholdsOf(
  what: string,
  lifetimeDays: number | null,
  daysBefore: readonly number[],
): readonly number[] {
  const days = lifetimeDays === null ? daysBefore : daysBefore.filter((day) => day <= lifetimeDays / 4);
  if (counted.has(what) && days.length > 0) return days;
  return lifetimeDays === null ? [] : [lifetimeDays / 5];
}
