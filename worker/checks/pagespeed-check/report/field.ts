import type { PagespeedFields } from '#shared/catalogue/pagespeed-check/report';
import type { FieldRecord } from '../../../probes/browser/port.ts';
import type { ChosenField } from '../facts/field.ts';
import { fieldThresholds, rateValue } from '../facts/ratings.ts';

type FieldMetric = keyof typeof fieldThresholds;
const metricNames = Object.keys(fieldThresholds) as readonly FieldMetric[];

/** The record with a rating beside each metric, and that of the whole origin; null where there is none. */
export function reportField({ provider, observation }: ChosenField): PagespeedFields['field'] {
  if (observation.kind !== 'record') return null;
  const { scope, formFactor, origin } = observation;
  return {
    provider,
    scope,
    formFactor,
    ...reportRecord(observation),
    origin: origin ? reportRecord(origin) : null,
  };
}

// Evidence of an older version has metrics alone.
function reportRecord({ metrics, period = null, history = null }: FieldRecord) {
  const rated = metricNames.flatMap((name) => {
    const metric = metrics[name];
    return metric
      ? [[name, { ...metric, rating: rateValue(metric.p75, fieldThresholds[name]) }] as const]
      : [];
  });
  return { period, metrics: Object.fromEntries(rated), history };
}
