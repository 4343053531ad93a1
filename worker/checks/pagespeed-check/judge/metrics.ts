import type { PagespeedCode } from '#shared/catalogue/pagespeed-check/rules';
import { brokenBy, codesOf, type Evidence, notTested, type Verdict } from '#shared/model/verdict';
import type { MetricObservation, PageObservation, Strategy } from '../../../probes/browser/port.ts';
import { displayValue, type MetricName, metricNames, rateScore, thresholdsOf } from '../facts/ratings.ts';

type MetricCode = Extract<PagespeedCode, `${MetricName}-${'poor' | 'needs-improvement'}`>;

/** Judges Lighthouse's five metrics by the bands of their scores, so that desktop is judged by desktop's curves. */
export function judgeMetrics(
  page: PageObservation | undefined,
  strategy: Strategy,
): Record<MetricCode, Verdict> {
  const verdicts = metricNames.flatMap((metric) =>
    (['poor', 'needs-improvement'] as const).map((band) => [
      `${metric}-${band}`,
      judgeMetric(metric, band, page, strategy),
    ]),
  );
  return Object.fromEntries(verdicts) as Record<MetricCode, Verdict>;
}

/** What each broken metric took from the score of 100: its weight, times what its own score lacks. */
export function effectsOf(page: PageObservation | undefined): { readonly [code: string]: number } {
  if (!page) return {};
  return Object.fromEntries(
    codesOf(page.metrics).flatMap((metric) => {
      const { score, weight } = page.metrics[metric];
      const lost = score === null ? 0 : Math.round(weight * (1 - score));
      return (['poor', 'needs-improvement'] as const).map((band) => [
        `${metric}-${band}`,
        lost === 0 ? 0 : -lost,
      ]);
    }),
  );
}

function judgeMetric(
  metric: MetricName,
  band: 'poor' | 'needs-improvement',
  page: PageObservation | undefined,
  strategy: Strategy,
): Verdict {
  if (!page) return notTested('the page could not be measured');
  const seen = page.metrics[metric];
  if (seen.score === null || seen.value === null) return notTested('the browser gave no value');
  const rating = rateScore(seen.score);
  if (rating === band) return brokenBy(show(metric, seen, page, strategy));
  // One of the two bands speaks for the metric; the other does not also call it good.
  return rating === 'good' ? 'holds' : 'not-applicable';
}

function show(
  metric: MetricName,
  { value, score }: MetricObservation,
  page: PageObservation,
  strategy: Strategy,
): Evidence[] {
  const { good, poor } = thresholdsOf(metric, strategy);
  const measured: Evidence = {
    value,
    display: displayValue(metric, value ?? 0),
    good: displayValue(metric, good),
    poor: displayValue(metric, poor),
    score,
    ...(metric === 'lcp' ? { element: page.lcpElement?.snippet ?? 'not known' } : {}),
  };
  return metric === 'cls' ? [measured, ...shiftsOf(page).slice(0, 5)] : [measured];
}

/** The layout shifts that were seen, largest first as Lighthouse gives them. */
export function shiftsOf(page: PageObservation): readonly Evidence[] {
  return page.audits.find(({ id }) => id === 'layout-shifts')?.items ?? [];
}
