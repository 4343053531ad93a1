import type { AuditObservation } from '../../../probes/browser/port.ts';

/** Below this an audit has something to say; the same line as for a metric's rating. */
const goodScore = 0.9;

/** Whether a score of an audit is good. */
export function isGood(score: number): boolean {
  return score >= goodScore;
}

/** True for an audit that did not pass. */
export function hasFailed({ score, mode }: AuditObservation): boolean {
  return score !== null && !isGood(score) && mode !== 'informative' && mode !== 'error';
}

/** What fixing it may save, with the unit in each name; empty when nothing is expected. */
export function readSavings({ savings, savedBytes }: AuditObservation) {
  const { LCP = 0, TBT = 0, FCP = 0, INP = 0, CLS = 0 } = savings;
  return {
    ...(LCP > 0 ? { lcpMs: LCP } : {}),
    ...(TBT > 0 ? { tbtMs: TBT } : {}),
    ...(FCP > 0 ? { fcpMs: FCP } : {}),
    ...(INP > 0 ? { inpMs: INP } : {}),
    ...(CLS > 0 ? { cls: CLS } : {}),
    ...(savedBytes === null ? {} : { bytes: savedBytes }),
  };
}

/** The largest savings first: by LCP, then TBT, CLS, FCP, then bytes. */
export function bySavings(a: AuditObservation, b: AuditObservation): number {
  for (const metric of ['LCP', 'TBT', 'CLS', 'FCP']) {
    const difference = (b.savings[metric] ?? 0) - (a.savings[metric] ?? 0);
    if (difference !== 0) return difference;
  }
  return (b.savedBytes ?? 0) - (a.savedBytes ?? 0);
}
