const dayMs = 86_400_000;

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

/** How long a certificate is valid, in days: its last second belongs to it (RFC 5280 §4.1.2.5). */
export function lifetimeDays({ notBefore, notAfter }: { notBefore: number; notAfter: number }): number {
  return (notAfter - notBefore + 1000) / dayMs;
}

/** Below this many ms of life left it should have been renewed: a quarter of its life, a week at least, but never more than half. */
export function renewalMarginMs(validity: { notBefore: number; notAfter: number }): number {
  const days = lifetimeDays(validity);
  return Math.min(Math.max(7, days / 4), days / 2) * dayMs;
}

/** Below this many ms of life left there is hardly time to act: three days, or a quarter of a very short life. */
export function urgentMarginMs(validity: { notBefore: number; notAfter: number }): number {
  return Math.min(3, lifetimeDays(validity) / 4) * dayMs;
}
