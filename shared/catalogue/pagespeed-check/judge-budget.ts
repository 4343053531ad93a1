import { countOf } from '../../model/counts.ts';
import { listVerdicts } from '../../model/finding.ts';
import type { Report } from '../../model/report.ts';
import { brokenBy, notTested, severities, type Verdict } from '../../model/verdict.ts';
import {
  type BudgetEntry,
  type BudgetResult,
  type BudgetValues,
  judgeBudget,
  readBudget,
  showAmount,
} from './budget.ts';
import { type PagespeedFields, pagespeedReportShape } from './report.ts';
import { budgetRules } from './rules/budget.ts';

/** The fields of a report that budgets are compared with. */
type Measured = Pick<PagespeedFields, 'metrics' | 'resources' | 'requests'>;

/** Compares a report's fields with a budget as the options hold it. */
export function compareBudget(budget: string, fields: Measured): BudgetResult {
  return judgeBudget(readBudget(budget).lines, valuesOf(fields));
}

/** The verdict on the rule; not applicable without a budget, and not tested where a missing value leaves it open. */
export function verdictOfBudget(result: BudgetResult | undefined): Verdict {
  if (!result) return 'not-applicable';
  const { kept, entries } = result;
  const exceeded = entries.filter((entry) => entry.kept === false);
  if (kept === null) {
    const missing = entries.flatMap((entry) => (entry.kept === null ? [entry.metric] : []));
    return notTested(`the load gave no value for ${missing.join(', ')}`);
  }
  return brokenBy(exceeded.map((entry) => showEntry(entry, exceeded.length)));
}

function showEntry({ metric, limit, value }: BudgetEntry, count: number) {
  return {
    metric,
    limit: showAmount(metric, limit),
    value: showAmount(metric, value ?? 0),
    exceeded: countOf(count, 'metric is above its limit', 'metrics are above their limits'),
  };
}

const loadMetrics = ['lcp', 'fcp', 'si', 'tbt', 'ttfb', 'cls'] as const;

function valuesOf({ metrics, resources, requests }: Measured): BudgetValues {
  const ofLoad = loadMetrics.map((metric) => [metric, metrics?.[metric].value ?? null]);
  return {
    ...(Object.fromEntries(ofLoad) as Pick<BudgetValues, (typeof loadMetrics)[number]>),
    bytes: requests?.bytes ?? resources?.total.bytes ?? null,
    requests: requests?.overNetwork ?? resources?.total.requests ?? null,
    thirdPartyBytes: requests?.thirdPartyBytes ?? foreignBytes(resources),
  };
}

// Lighthouse leaves the kind out where there are none.
function foreignBytes(resources: Measured['resources']): number | null {
  return resources ? (resources.byType['third-party']?.bytes ?? 0) : null;
}

const { metrics, resources, requests } = pagespeedReportShape;

/** A stored report of the same load, judged against a budget too; the rest of it stays as it is. Undefined for one of another shape. */
export function withBudget(report: Report, budget: string): Report | undefined {
  const read = {
    metrics: metrics.safeParse(report['metrics']),
    resources: resources.safeParse(report['resources']),
    requests: requests.safeParse(report['requests']),
  };
  if (!read.metrics.success || !read.resources.success || !read.requests.success) return undefined;
  const result = compareBudget(budget, {
    metrics: read.metrics.data,
    resources: read.resources.data,
    requests: read.requests.data,
  });
  const added = listVerdicts(budgetRules, { 'budget-exceeded': verdictOfBudget(result) });
  const findings = [...report.findings, ...added.findings].sort(
    (one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity),
  );
  const passed = [...report.passed, ...added.passed];
  const untested = [...report.notTested, ...added.notTested];
  return {
    ...report,
    summary: {
      ...report.summary,
      medium: report.summary.medium + added.findings.length,
      passed: passed.length,
      notTested: untested.length,
    },
    findings,
    passed,
    notTested: untested,
    budget: result,
  };
}
