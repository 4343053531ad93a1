import { z } from 'zod';
import { domainHealthReportShape } from '../../catalogue/domain-health/report.ts';
import { type CategoryName, categoryNames } from '../../catalogue/domain-health/weights.ts';
import type { Report } from '../../model/report.ts';
import type { PreviousHealth } from '../evidence.ts';

const storedFields = z.looseObject({ categories: domainHealthReportShape.categories, coverage: z.number() });

/** What the trend needs of a stored domain-health report; null where it is of another shape, or has no score to compare with. */
export function readPrevious(report: Report): PreviousHealth | null {
  const fields = storedFields.safeParse(report).data;
  if (!fields || report.score === null) return null;
  const read = (name: CategoryName): PreviousHealth['categories'][CategoryName] => {
    const { score, summary, codes, notTested, report: source, mailHosts } = fields.categories[name];
    const isKnown = notTested !== undefined || summary?.notTested === 0;
    const mailHostsVersion = mailHosts?.reason === undefined ? mailHosts?.report?.rulesVersion : undefined;
    return {
      score,
      codes,
      ...(isKnown ? { notTested: notTested ?? [] } : {}),
      rulesVersion: source.rulesVersion ?? null,
      ...(mailHostsVersion === undefined ? {} : { mailHostsVersion }),
    };
  };
  return {
    reportId: report.reportId ?? null,
    checkedAt: report.checkedAt,
    rulesVersion: report.rulesVersion,
    coverage: fields.coverage,
    score: report.score,
    grade: report.grade,
    categories: Object.fromEntries(
      categoryNames.map((name) => [name, read(name)]),
    ) as PreviousHealth['categories'],
    codes: report.findings.map(({ code }) => code),
    notTested: report.notTested.map(({ code }) => code),
  };
}
