import type { PagespeedFields } from '#shared/catalogue/pagespeed-check/report';
import type { FieldObservation } from '../../../probes/browser/port.ts';
import type { ChosenField } from '../facts/field.ts';
import { fieldThresholds, rateValue } from '../facts/ratings.ts';

type FieldMetric = keyof typeof fieldThresholds;

/** The record with a rating beside each metric; null where there is none. */
export function reportField({ provider, observation }: ChosenField): PagespeedFields['field'] {
  if (observation.kind !== 'record') return null;
  const { scope, formFactor, metrics } = observation;
  const rated = namesIn(observation).map((name) => {
    const { p75 = 0, distribution = [] } = metrics[name] ?? {};
    return [name, { p75, distribution, rating: rateValue(p75, fieldThresholds[name]) }] as const;
  });
  return { provider, scope, formFactor, metrics: Object.fromEntries(rated) };
}

function namesIn(field: Extract<FieldObservation, { kind: 'record' }>): readonly FieldMetric[] {
  return (Object.keys(fieldThresholds) as FieldMetric[]).filter((name) => field.metrics[name] !== undefined);
}
