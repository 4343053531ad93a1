import type { Rating } from '#shared/catalogue/pagespeed-check/report-field';
import { brokenBy, notTested, type Verdict } from '#shared/model/verdict';
import type { FieldObservation } from '../../../probes/browser/port.ts';
import { displayValue, fieldThresholds, rateValue } from '../facts/ratings.ts';

export type FieldAssessment = {
  readonly assessment: 'passed' | 'failed' | 'unavailable';
  readonly basis: 'field' | 'none';
  readonly reason?: string;
};

/**
 * Core Web Vitals as real visitors had them: passed when LCP, INP and CLS are all good at the 75th percentile. Without enough
 * visits for INP the other two decide, as in PageSpeed Insights; the lab alone never decides.
 */
export function rateField(field: FieldObservation): FieldAssessment {
  if (field.kind !== 'record') return { assessment: 'unavailable', basis: 'none', reason: field.reason };
  const { lcp, cls } = ratedVitals(field);
  if (lcp === undefined || cls === undefined)
    return { assessment: 'unavailable', basis: 'none', reason: 'too few visitors for LCP and CLS' };
  return { assessment: failingOf(field).length === 0 ? 'passed' : 'failed', basis: 'field' };
}

/** Judges the field assessment; not tested where there is none. */
export function judgeField(field: FieldObservation): Verdict {
  const { assessment, reason } = rateField(field);
  if (assessment === 'unavailable') return notTested(reason ?? 'there is no field record');
  const failing = failingOf(field);
  return brokenBy(failing.length === 0 ? [] : [{ failing: failing.join(', ') }]);
}

function ratedVitals(field: FieldObservation): { readonly [M in 'lcp' | 'inp' | 'cls']?: Rating } {
  const vitals = (['lcp', 'inp', 'cls'] as const).flatMap((name) => {
    const p75 = field.kind === 'record' ? field.metrics[name]?.p75 : undefined;
    return p75 === undefined ? [] : [[name, rateValue(p75, fieldThresholds[name])]];
  });
  return Object.fromEntries(vitals) as ReturnType<typeof ratedVitals>;
}

function failingOf(field: FieldObservation): readonly string[] {
  if (field.kind !== 'record') return [];
  const rated = ratedVitals(field);
  return (['lcp', 'inp', 'cls'] as const)
    .filter((name) => rated[name] !== undefined && rated[name] !== 'good')
    .map((name) => `${name.toUpperCase()} ${displayValue(name, field.metrics[name]?.p75 ?? 0)}`);
}
