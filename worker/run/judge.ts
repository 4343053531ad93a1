import { freshForOtherS } from '#shared/catalogue/spec';
import type { Job } from '#shared/model/job';
import { makeReport, type Report, type ReportFacts, type ReportState } from '#shared/model/report';
import type { Vantage } from '#shared/model/vantage';
import type { Json } from '#shared/model/verdict';
import type { Check } from '../checks/check.ts';
import type { SpentBudget } from '../probes/budget.ts';
import { assessByRightTime } from './assess-by-right-time.ts';

/** What was seen in one run, with all that its report depends on beside the rules: judging it again gives the same report, byte for byte. */
export type EvidenceFile = {
  readonly v: 1;
  readonly check: string;
  readonly target: string;
  readonly options: Job['options'];
  /** null where the operator has switched ids off. */
  readonly reportId: string | null;
  readonly checkedAtMs: number;
  readonly durationMs: number;
  /** null: the check's own freshness. */
  readonly freshForS: number | null;
  /** null: only while it can be fresh. */
  readonly keepForS: number | null;
  readonly evidence: Json;
  /** Budgets that ran out while looking; left out where none did. */
  readonly spent?: readonly SpentBudget[];
  /** The place where it was seen; left out where nothing was missing there and it has no name. */
  readonly vantage?: Vantage;
  /** Prefix of links: the address that callers use; left out where they stand below the host. */
  readonly publicPath?: string;
};

const leastKeptS = 60;

/** Judges what was seen. Pure. */
export function judge(check: Check, file: EvidenceFile): Report {
  const assessment = assessByRightTime(check, file);
  const { spent } = file;
  const made = makeReport(factsOf(check, file, assessment.state), assessment);
  const report: Report = spent ? { ...made, budgetSpent: [...spent] } : made;
  const { screenshot } = report;
  // Only a report with an id has an address for its picture.
  return file.reportId === null || typeof screenshot !== 'object' || screenshot === null
    ? report
    : {
        ...report,
        screenshot: {
          ...screenshot,
          href: `${file.publicPath ?? ''}/api/reports/${file.reportId}/screenshot`,
        },
      };
}

/** What a report says of its run, for a run that ended in this state. */
export function factsOf(
  { spec }: Check,
  file: Omit<EvidenceFile, 'evidence'>,
  state: ReportState,
): ReportFacts {
  const freshForS = file.freshForS ?? (state === 'complete' ? spec.freshForS : freshForOtherS[state]);
  return {
    check: file.check,
    target: { [spec.targetKind]: file.target },
    rules: spec.rules,
    rulesVersion: spec.rulesVersion,
    reportId: file.reportId ?? undefined,
    checkedAtMs: file.checkedAtMs,
    durationMs: file.durationMs,
    freshForS,
    // Also a report that is never fresh answers those who waited for it.
    keepForS: file.keepForS ?? Math.max(freshForS, leastKeptS),
    ...(file.vantage ? { vantage: file.vantage } : {}),
  };
}
