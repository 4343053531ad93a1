import { plainOptions } from '#shared/catalogue/asked-options';
import { askedOptions } from '#shared/catalogue/asked-options';
import { dnsCheck } from '#shared/catalogue/dns-check/spec';
import { partsOf } from '#shared/catalogue/domain-health/parts';
import { domainHealth } from '#shared/catalogue/domain-health/spec';
import { pagespeedCheck } from '#shared/catalogue/pagespeed-check/spec';
import { smtpCheck } from '#shared/catalogue/smtp-check/spec';
import type { Delivery, Watch, WatchTarget } from '#shared/model/watch';
import { lateBefore } from '#shared/model/watch-times';
import type { WatchRate } from '#shared/ports/watch-store';
import { costOf } from '#shared/settings/offered';
import { giveBack } from '#shared/time/give-back';
import { specOf } from './read-watch.ts';
import type { WatchServices } from './watch-services.ts';

const shownDeliveries = 20;
const dayS = 86_400;

/** Scans of the second look at one part of a domain-health, at most. */
function dearestPart(options: WatchRate['options']): number {
  const parts = partsOf(options);
  const spec = parts.includes('performance') ? pagespeedCheck : parts.includes('mail') ? smtpCheck : dnsCheck;
  return spec.cost({});
}

/** Scans that a watch costs a day at most, or all of one rate: each turn may look a second time, at one check. */
export function scansPerDay(
  { site }: Pick<WatchServices, 'site'>,
  { check, options, everySeconds, targetCount }: WatchRate,
): number {
  const spec = specOf(check);
  const own = costOf(site.isOffered, spec, options);
  const second = spec.name === domainHealth.name ? dearestPart(options) : own;
  return Math.ceil(((own + second) * targetCount * dayS) / everySeconds);
}

/** A watch as its owner sees it. */
export async function describeWatch(services: Pick<WatchServices, 'site' | 'watches'>, watch: Watch) {
  const { watches, site } = services;
  const { watchId, label, check, everySeconds, targetCount, pausedReason, createdAt, notify } = watch;
  const [due, deliveries] = await Promise.all([
    watches.dueOf(watchId, lateBefore(watch, Date.now())),
    watches.listDeliveries({ watchId }, { limit: shownDeliveries }),
  ]);
  const self = `${site.publicPath}/api/watches/${watchId}`;
  return {
    watchId,
    label,
    check,
    options: JSON.parse(askedOptions(check, watch.options) || plainOptions) as object,
    targetCount,
    everySeconds,
    scansPerDay: scansPerDay(services, watch),
    late: due.late,
    paused: pausedReason !== null,
    pausedReason,
    createdAt: timeOf(createdAt),
    nextAt: timeOf(due.nextAt),
    notify,
    deliveries: deliveries.map(describeDelivery),
    links: { self, targets: `${self}/targets`, deliveries: `${self}/deliveries` },
  };
}

/** Some watches, one after the other. */
export async function describeWatches(
  services: Pick<WatchServices, 'site' | 'watches'>,
  watches: readonly Watch[],
) {
  const described: Awaited<ReturnType<typeof describeWatch>>[] = [];
  for (const watch of watches) {
    described.push(await describeWatch(services, watch));
    await giveBack();
  }
  return described;
}

/** A watched target as its owner sees it. */
export function describeTarget(one: WatchTarget) {
  const { target, state, reportId, checkedAt, score, grade, dueAt, isActive, problem } = one;
  return {
    target,
    state,
    reportId,
    checkedAt: timeOf(checkedAt),
    score,
    grade,
    nextAt: isActive ? timeOf(dueAt) : null,
    problem,
  };
}

/** A delivery as the owner of its watch sees it. */
export function describeDelivery(one: Delivery) {
  const {
    deliveryId,
    channel,
    type,
    target,
    createdAt,
    state,
    attempts,
    nextAttemptAt,
    httpStatus,
    failure,
  } = one;
  return {
    deliveryId,
    channel,
    type,
    target,
    createdAt: timeOf(createdAt),
    state,
    attempts,
    nextAttemptAt: timeOf(nextAttemptAt),
    httpStatus,
    failure,
  };
}

function timeOf(ms: number): string;
function timeOf(ms: number | null): string | null;
function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
