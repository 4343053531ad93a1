import type { CheckSpec } from '#shared/catalogue/spec';
import type { ReportFacts } from '#shared/model/report';

type ReportTimes = { readonly checkedAtMs: number; readonly freshForS: number };

/** The facts of a report that only other runs read: it has no id to ask for, and is kept while it is fresh. */
export function internalFacts(
  { name, rulesVersion }: Pick<CheckSpec, 'name' | 'rulesVersion'>,
  domain: string,
  { checkedAtMs, freshForS }: ReportTimes,
): ReportFacts {
  return {
    check: name,
    target: { domain },
    rules: {},
    rulesVersion,
    reportId: undefined,
    checkedAtMs,
    durationMs: 0,
    freshForS,
    keepForS: freshForS,
  };
}
