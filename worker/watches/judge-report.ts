import { type News } from '#shared/catalogue/news';
import { type Outline, outlineOf, packOutline, unpackOutline } from '#shared/catalogue/outline';
import { type HeldBack, holdBack, type Part, replacePart } from '#shared/catalogue/second-look';
import { type EventWish, gravest, makeDeliveries, type EventReport } from '#shared/catalogue/watch-event';
import { type TurnNews, judgeTurn } from '#shared/catalogue/watch-news';
import type { Delivery, Watch, WatchTarget } from '#shared/model/watch';
import { secondLook, turnsMissed } from '#shared/model/watch-times';
import type { StoredReport } from '#shared/ports/report-store';
import { inDays } from '#shared/render/expiries';
import { readReport } from '#shared/stores/reports/read-report';
import { readOutlines } from '#shared/stores/reports/with-history';
import type { WatchContext } from './context.ts';

const mostPending = 200;

/** What came of a turn: the target as it is now, and what is reported. */
export type TurnEnd = { readonly settled: WatchTarget; readonly deliveries: readonly Delivery[] };

/** Judges the report of a turn against the one before. */
export async function judgeReport(
  context: WatchContext,
  watch: Watch,
  target: WatchTarget,
  stored: StoredReport,
): Promise<TurnEnd> {
  const to = await outlineStored(context, stored);
  const seen = {
    reportId: context.config.REPORT_IDS ? stored.reportId : null,
    checkedAt: stored.checkedAt,
    score: stored.score,
    grade: to.reports[0]?.grade ?? null,
  };
  return judgeLook(context, { watch, target: { ...target, ...seen } }, { to, reportId: stored.reportId });
}

/**
 * Judges the second look at one part of what the last turn saw. Undefined where the report of that turn is not stored any more: then the next turn
 * confirms it.
 */
export async function judgeSecond(
  context: WatchContext,
  watch: Watch,
  target: WatchTarget,
  stored: StoredReport,
): Promise<TurnEnd | undefined> {
  const { second, reportId } = target;
  if (second === null || second.check === watch.check) return judgeReport(context, watch, target, stored);
  const whole =
    reportId === null
      ? undefined
      : (await readOutlines(context.backend.reportStore, [reportId])).get(reportId);
  const [part] = (await outlineStored(context, stored)).reports;
  if (!whole || !part || reportId === null) return undefined;
  return judgeLook(context, { watch, target }, { to: replacePart(whole, part), only: second, reportId });
}

async function outlineStored({ backend }: WatchContext, stored: StoredReport): Promise<Outline> {
  const known = await readOutlines(backend.reportStore, [stored.reportId]);
  return known.get(stored.reportId) ?? outlineOf(readReport(stored));
}

type Turn = { readonly watch: Watch; readonly target: WatchTarget };
type Seen = { readonly to: Outline; readonly only?: Part; readonly reportId: string };

function judgeLook(context: WatchContext, { watch, target }: Turn, { to, only, reportId }: Seen): TurnEnd {
  const { base, memory, expiries, pending } = target;
  const kept = base === null ? undefined : readBase(base);
  const held = kept && holdBack({ from: kept.outline, to, pending, only }, watch.notify.minSeverity);
  const judged = judgeTurn({
    from: kept?.outline,
    to: held?.outline ?? to,
    seen: to,
    memory,
    expiries,
    notify: watch.notify,
    everySeconds: watch.everySeconds,
    now: context.now(),
  });
  const from = kept?.outline ? sideOf(kept.outline, kept.reportId) : null;
  const about = {
    target: target.target,
    from,
    to: sideOf(to, reportId),
    since: kept ? `since ${kept.reportId}` : `turn ${target.dueAt}`,
  };
  const deliveries = wishesOf(judged, about).flatMap((wish) =>
    makeDeliveries(watch, wish, context.now(), context.config.PUBLIC_URL),
  );
  const settled: WatchTarget = {
    ...target,
    state: judged.news.some(({ kind }) => kind !== 'finding-fixed') ? 'news' : 'ok',
    problem: null,
    missed: 0,
    base: judged.base ? packBase(judged.base, reportId) : null,
    memory: judged.memory,
    expiries: judged.expiries,
    ...leftOpen(held, { watch, target }, context.now()),
  };
  return { settled, deliveries };
}

/** What another look has to say first. One a turn: what the second look leaves open is told at the next turn. */
function leftOpen(
  held: HeldBack | undefined,
  { watch, target }: Turn,
  now: number,
): Pick<WatchTarget, 'pending' | 'second'> {
  if (!held) return { pending: [], second: null };
  const { pending, wanted } = held;
  const dueAt = wanted && target.second === null ? secondLook(watch, target.target, now) : undefined;
  const second = wanted && dueAt !== undefined ? { ...wanted, dueAt } : null;
  return { pending: pending.slice(0, mostPending), second };
}

/** Judges a turn without a report. One that missed several is reported once, until there is a report again. */
export function judgeMiss(
  context: WatchContext,
  watch: Watch,
  target: WatchTarget,
  problem: string,
): TurnEnd {
  const missed = target.missed + 1;
  const isTold = missed >= turnsMissed && target.state !== 'unchecked';
  const wish: EventWish = {
    type: 'watch.unchecked',
    once: `turn ${target.dueAt}`,
    target: target.target,
    severity: 'medium',
    summary: `${target.target} could not be checked ${missed} times in a row (${problem}).`,
  };
  return {
    settled: { ...target, missed, problem, state: isTold ? 'unchecked' : target.state },
    deliveries: isTold ? makeDeliveries(watch, wish, context.now(), context.config.PUBLIC_URL) : [],
  };
}

/** What an event is about. `since` names what the report was compared with: it is another as soon as a turn is settled. */
type About = {
  readonly target: string;
  readonly from: EventReport | null;
  readonly to: EventReport;
  readonly since: string;
};

function wishesOf({ news, endings }: TurnNews, { since, ...about }: About): readonly EventWish[] {
  const wishes: EventWish[] = [];
  // A turn that is taken again, because its process ended or the queue was away, tells the same once, and tells what is new by then.
  const onceOf = (told: readonly unknown[]) => `${since} ${JSON.stringify(told)}`;
  if (news.length > 0) {
    const isRecovery = news.every(isGood);
    wishes.push({
      ...about,
      once: onceOf(news.map(({ kind, code, category }) => [kind, code, category])),
      type: isRecovery ? 'watch.recovered' : 'watch.changed',
      severity: isRecovery ? 'info' : gravest(news.filter((one) => !isGood(one))),
      summary: summaryOf(about.target, news),
      news,
    });
  }
  if (endings.length > 0) {
    const least = Math.min(...endings.map(({ daysLeft }) => daysLeft));
    const news_ = endings.map(({ what, name, daysLeft }): News => ({
      kind: 'expiring',
      code: null,
      category: null,
      severity: severityOf(daysLeft),
      title: `${what} ${name} expires`,
      fix: null,
      text: daysLeft < 0 ? `${what} ${name} has expired.` : `${what} ${name} expires ${inDays(daysLeft)}.`,
    }));
    wishes.push({
      ...about,
      once: onceOf(endings.map(({ what, name }) => [what, name])),
      type: 'watch.expiring',
      severity: severityOf(least),
      summary: summaryOf(about.target, news_),
      news: news_,
      expiring: endings,
    });
  }
  return wishes;
}

const isGood = ({ kind, severity }: News) =>
  kind === 'finding-fixed' || ((kind === 'grade' || kind === 'state') && severity === 'info');

function severityOf(daysLeft: number): News['severity'] {
  if (daysLeft < 0) return 'critical';
  return daysLeft <= 7 ? 'high' : 'medium';
}

const toldInSummary = 3;

function summaryOf(target: string, news: readonly News[]): string {
  const more = news.length - toldInSummary;
  const texts = news.slice(0, toldInSummary).map(({ text }) => text);
  return [`${target}:`, ...texts, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
}

function sideOf({ reports: [report] }: Outline, reportId: string): EventReport {
  if (!report) throw new Error('an outline has a report');
  const { checkedAt, state, score, grade, rulesVersion } = report;
  return { reportId, checkedAt, state, score, grade, rulesVersion };
}

function packBase(outline: Outline, reportId: string): string {
  return `${reportId} ${Buffer.from(packOutline(outline)).toString('base64')}`;
}

function readBase(base: string): { readonly outline: Outline; readonly reportId: string } | undefined {
  const [reportId = '', packed = ''] = base.split(' ');
  try {
    return { outline: unpackOutline(Buffer.from(packed, 'base64')), reportId };
  } catch {
    return undefined; // of another release: the next report is compared with this one
  }
}
