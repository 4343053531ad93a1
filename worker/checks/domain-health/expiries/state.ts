import type { Expiry } from '#shared/catalogue/domain-health/report';
import { lifetimeDays, renewalMarginMs } from '../../../certificates/lifetime.ts';

const dayMs = 86_400_000;
/** Of a thing that does not tell when it began: long enough that its margin is that of long-lived things. */
const assumedMs = 365 * dayMs;

/** Something that ends: Unix ms. */
export type Lifetime = Pick<Expiry, 'what' | 'name'> & {
  /** null where it does not tell. */
  readonly beginsAt: number | null;
  readonly endsAt: number;
};

/**
 * An ending as a report shows it, by the one margin that ssl-check has for certificates: what lives for days is renewed every few days.
 * @param at when the report was checked, Unix ms
 */
export function showEnding({ what, name, beginsAt, endsAt }: Lifetime, at: number): Expiry {
  const isKnown = beginsAt !== null && beginsAt < endsAt;
  const validity = { notBefore: isKnown ? beginsAt : endsAt - assumedMs, notAfter: endsAt };
  const leftMs = endsAt - at;
  return {
    what,
    name,
    expiresAt: new Date(endsAt).toISOString(),
    daysLeft: Math.floor(leftMs / dayMs),
    lifetimeDays: isKnown ? Math.round(lifetimeDays(validity) * 100) / 100 : null,
    state: leftMs <= 0 ? 'past' : leftMs < renewalMarginMs(validity) ? 'soon' : 'ok',
  };
}
