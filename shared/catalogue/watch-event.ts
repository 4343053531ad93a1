import { hash } from 'node:crypto';
import { randomId } from '../model/job.ts';
import { type Severity, severities } from '../model/verdict.ts';
import type { Delivery, EventType, Watch } from '../model/watch.ts';
import type { News } from './news.ts';
import type { OutlinedReport } from './outline.ts';
import { findSpec } from './registry.ts';
import type { EndsSoon } from './watch-news.ts';

/** A report that an event names. */
export type EventReport = Pick<OutlinedReport, 'checkedAt' | 'state' | 'score' | 'grade' | 'rulesVersion'> & {
  readonly reportId: string;
};

export type EventWish = {
  /** What it is about, such as a turn: equal names make one event, however often it is made. Left out, each is one of its own. */
  readonly once?: string;
  readonly type: EventType;
  readonly target: string | null;
  readonly severity: Severity;
  readonly summary: string;
  readonly news?: readonly News[];
  readonly from?: EventReport | null;
  readonly to?: EventReport | null;
  readonly expiring?: readonly EndsSoon[];
};

const keptForMs = 30 * 86_400_000;
const mostNews = 100;

/**
 * Makes the event of a watch, and what is to be done with it: it is sent where the watch has a webhook or an e-mail address, and stands in the
 * feed anyway.
 * Before the receiver has answered a first test, only tests are sent; the others wait for that.
 * @param publicUrl what links begin with; undefined: there are none
 */
export function makeDeliveries(
  watch: Watch,
  wish: EventWish,
  now: number,
  publicUrl: string | undefined,
): readonly [Delivery, ...Delivery[]] {
  const event = makeDelivery(watch, wish, now, publicUrl);
  return watch.notify.email === null ? [event] : [event, byMail(event)];
}

/** The same event by e-mail. Whether its address is confirmed is seen when it is sent. */
function byMail(event: Delivery): Delivery {
  const { deliveryId, createdAt } = event;
  return {
    ...event,
    deliveryId: `${deliveryId}_mail`,
    channel: 'email',
    state: 'pending',
    nextAttemptAt: createdAt,
  };
}

function makeDelivery(watch: Watch, wish: EventWish, now: number, publicUrl: string | undefined): Delivery {
  const { watchId, account, notify } = watch;
  const deliveryId = `evt_${wish.once === undefined ? randomId() : idOf(watchId, wish)}`;
  const isSent = notify.webhook !== null && wish.type !== 'watch.paused';
  const mayGo = isSent && (watch.isConfirmed || wish.type === 'watch.test');
  const body = {
    id: deliveryId,
    type: wish.type,
    timestamp: new Date(now).toISOString(),
    data: dataOf(watch, wish, publicUrl),
  };
  return {
    deliveryId,
    watchId,
    account,
    channel: isSent ? 'webhook' : 'feed',
    type: wish.type,
    target: wish.target,
    createdAt: now,
    state: isSent ? 'pending' : 'delivered',
    attempts: 0,
    nextAttemptAt: mayGo ? now : null,
    httpStatus: null,
    failure: null,
    waitsFor: null,
    isExtra: wish.type === 'watch.test',
    expiresAt: now + keptForMs,
    body: JSON.stringify(body),
  };
}

function idOf(watchId: string, { once, type, target }: EventWish): string {
  return hash('sha256', JSON.stringify([watchId, type, target, once])).slice(0, 32);
}

function dataOf(watch: Watch, wish: EventWish, publicUrl: string | undefined) {
  const { watchId, label, check, options } = watch;
  const { target, severity, summary, news = [], from = null, to = null, expiring = [] } = wish;
  return {
    watchId,
    label,
    check,
    target,
    options,
    severity,
    summary,
    news: news.slice(0, mostNews),
    from,
    to,
    expiring,
    links: publicUrl === undefined ? null : linksOf({ publicUrl, check, target, from, to }),
  };
}

type Linked = {
  readonly publicUrl: string;
  readonly check: string;
  readonly target: string | null;
} & Required<Pick<EventWish, 'from' | 'to'>>;

function linksOf({ publicUrl, check, target, from, to }: Linked) {
  const spec = findSpec(check);
  const part = check === 'domain-health' ? '' : `/${check}`;
  const about = encodeURIComponent(target ?? '');
  const page =
    spec?.targetKind === 'url' ? `${publicUrl}/u/${check}?url=${about}` : `${publicUrl}/d/${about}${part}`;
  return {
    report: to ? `${publicUrl}/r/${to.reportId}` : null,
    page: target === null ? null : page,
    diff: from && to ? `${publicUrl}/api/reports/${from.reportId}/diff/${to.reportId}` : null,
  };
}

/** The severity of several things: that of the gravest. */
export function gravest(all: readonly { readonly severity: Severity }[]): Severity {
  return severities.find((severity) => all.some((one) => one.severity === severity)) ?? 'info';
}
