import type { PagespeedFields, Rating } from '../../../shared/catalogue/pagespeed-check/report.ts';
import { brokenBy, notTested, type Verdict } from '../../../shared/model/verdict.ts';
import type { FieldSight } from '../../probes/browser/port.ts';
import { isRemote, type PagespeedEvidence } from './evidence.ts';
import { displayValue, fieldThresholds, rateValue } from './ratings.ts';

type FieldMetric = keyof typeof fieldThresholds;

/** Field data and who told it. */
export type ChosenField = { readonly provider: 'crux' | 'psi'; readonly sight: FieldSight };

/** What the Chrome UX Report told; else what came with the answer of PageSpeed Insights, which has it from there. */
export function chooseField({ field, runs }: PagespeedEvidence): ChosenField {
  const remote = runs.find(isRemote);
  if (field.kind === 'record' || !remote) return { provider: 'crux', sight: field };
  return { provider: 'psi', sight: remote.field };
}

export type FieldAssessment = {
  readonly assessment: 'passed' | 'failed' | 'unavailable';
  readonly basis: 'field' | 'none';
  readonly reason?: string;
};

/**
 * Core Web Vitals as real visitors had them: passed when LCP, INP and CLS are all good at the 75th percentile. Without enough
 * visits for INP the other two decide, as in PageSpeed Insights; the lab alone never decides.
 */
export function assessField(field: FieldSight): FieldAssessment {
  if (field.kind !== 'record') return { assessment: 'unavailable', basis: 'none', reason: field.reason };
  const { lcp, cls } = ratedVitals(field);
  if (lcp === undefined || cls === undefined)
    return { assessment: 'unavailable', basis: 'none', reason: 'too few visitors for LCP and CLS' };
  return { assessment: failingOf(field).length === 0 ? 'passed' : 'failed', basis: 'field' };
}

/** Judges the field assessment; not tested where there is none. */
export function judgeField(field: FieldSight): Verdict {
  const { assessment, reason } = assessField(field);
  if (assessment === 'unavailable') return notTested(reason ?? 'there is no field record');
  const failing = failingOf(field);
  return brokenBy(failing.length === 0 ? [] : [{ failing: failing.join(', ') }]);
}

/** The record with a rating beside each metric; null where there is none. */
export function describeField({ provider, sight }: ChosenField): PagespeedFields['field'] {
  if (sight.kind !== 'record') return null;
  const { scope, formFactor, metrics } = sight;
  const rated = namesIn(sight).map((name) => {
    const { p75 = 0, distribution = [] } = metrics[name] ?? {};
    return [name, { p75, distribution, rating: rateValue(p75, fieldThresholds[name]) }] as const;
  });
  return { provider, scope, formFactor, metrics: Object.fromEntries(rated) };
}

function ratedVitals(field: FieldSight): { readonly [M in 'lcp' | 'inp' | 'cls']?: Rating } {
  const vitals = (['lcp', 'inp', 'cls'] as const).flatMap((name) => {
    const p75 = field.kind === 'record' ? field.metrics[name]?.p75 : undefined;
    return p75 === undefined ? [] : [[name, rateValue(p75, fieldThresholds[name])]];
  });
  return Object.fromEntries(vitals) as ReturnType<typeof ratedVitals>;
}

function failingOf(field: FieldSight): readonly string[] {
  if (field.kind !== 'record') return [];
  const rated = ratedVitals(field);
  return (['lcp', 'inp', 'cls'] as const)
    .filter((name) => rated[name] !== undefined && rated[name] !== 'good')
    .map((name) => `${name.toUpperCase()} ${displayValue(name, field.metrics[name]?.p75 ?? 0)}`);
}

function namesIn(field: Extract<FieldSight, { kind: 'record' }>): readonly FieldMetric[] {
  return (Object.keys(fieldThresholds) as FieldMetric[]).filter((name) => field.metrics[name] !== undefined);
}
