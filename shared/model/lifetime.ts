const dayMs = 86_400_000;

/** How long a certificate is valid, in days: its last second belongs to it (RFC 5280 §4.1.2.5). Unix ms. */
export function lifetimeDays({ notBefore, notAfter }: { notBefore: number; notAfter: number }): number {
  return (notAfter - notBefore + 1000) / dayMs;
}

/** Longest life in days of a certificate issued at or after a date (Baseline Requirements §6.3.2, ballots SC-031, SC-081v3), newest first. */
const limits = [
  { since: Date.UTC(2029, 2, 15), days: 47 },
  { since: Date.UTC(2027, 2, 15), days: 100 },
  { since: Date.UTC(2026, 2, 15), days: 200 },
  { since: Date.UTC(2020, 8, 1), days: 398 },
  { since: Date.UTC(2018, 2, 1), days: 825 },
];

/** Browsers enforce no limit for older certificates; 39 months was the rule of the CA/Browser Forum. */
const oldestLimitDays = 1187;

/** The longest life in days of a certificate whose validity begins then (Unix ms). */
export function lifetimeLimitDays(notBefore: number): number {
  return limits.find(({ since }) => notBefore >= since)?.days ?? oldestLimitDays;
}

/** Longest time before the end at which a renewal is due, whatever the life. */
const longestMarginDays = 30;
/** Certificates that live for less are renewed every few days: CAs suggest the last quarter of their life. */
const veryShortDays = 10;

/**
 * Below this many ms of life left a renewal is late: a third of the life, 30 days at most, and a quarter of a life below ten days.
 * ACME clients renew when a third is left, or when the CA suggests it by renewal information (RFC 9773 §4.1), which is not later.
 */
export function renewalMarginMs(validity: { notBefore: number; notAfter: number }): number {
  const days = lifetimeDays(validity);
  return Math.min(longestMarginDays, days < veryShortDays ? days / 4 : days / 3) * dayMs;
}

/** Below this many ms of life left there is hardly time to act: three days, or an eighth of a very short life. */
export function urgentMarginMs(validity: { notBefore: number; notAfter: number }): number {
  const days = lifetimeDays(validity);
  return Math.min(3, days < veryShortDays ? days / 8 : days) * dayMs;
}
