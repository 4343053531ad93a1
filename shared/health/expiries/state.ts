import type { Expiry } from '../../catalogue/domain-health/report.ts';
import { daysOf, type Lifetime } from '../../catalogue/expiries/lifetime.ts';
import { renewalMarginMs } from '../../model/lifetime.ts';

const dayMs = 86_400_000;
/** Of a thing that does not tell when it began: long enough that its margin is that of long-lived things. */
const assumedMs = 365 * dayMs;

/**
 * An ending as a report shows it, by the one margin that ssl-check has for certificates: what lives for days is renewed every few days.
 * @param at when the report was checked, Unix ms
 */
export function showEnding(ending: Lifetime, at: number): Expiry {
  const { what, name, beginsAt, endsAt } = ending;
  const isKnown = beginsAt !== null && beginsAt < endsAt;
  const validity = { notBefore: isKnown ? beginsAt : endsAt - assumedMs, notAfter: endsAt };
  const leftMs = endsAt - at;
  return {
    what,
    name,
    expiresAt: new Date(endsAt).toISOString(),
    daysLeft: Math.floor(leftMs / dayMs),
    lifetimeDays: daysOf(ending),
    state: leftMs <= 0 ? 'past' : leftMs < renewalMarginMs(validity) ? 'soon' : 'ok',
  };
}
