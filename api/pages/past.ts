import { everPlainChecks, plainOptions } from '#shared/catalogue/asked-options';
import { diffReports } from '#shared/catalogue/diff';
import { findSpec } from '#shared/catalogue/registry';
import type { ReportDiff } from '#shared/model/diff';
import { anonymousAccount, type Grant, type HistoryQuestion } from '#shared/model/grant';
import { Problem } from '#shared/model/problem';
import type { Report } from '#shared/model/report';
import { readReport } from '#shared/stores/reports/read-report';
import type { PageServices } from './page-services.ts';

/** Earlier reports of the same question that this account has seen. */
export type Past = {
  /** The reports before and this one, oldest first: what a line of scores shows. */
  readonly scores: readonly Pick<Grant, 'checkedAt' | 'score' | 'grade'>[];
  /** The one before this. */
  readonly previous: Report | undefined;
};

const mostScores = 30;
/** Reports that are read to find one of the same question: rules and settings may have changed since. */
const mostRead = 3;
const noPast: Past = { scores: [], previous: undefined };

/** A report whose past is looked up, by what the store knows of it. */
type Present = { readonly grant: Grant; readonly jobKey: string };

/** Looks up what this account saw before this report, and notes that it has seen this one; nothing where reports have no ids. */
export async function findPast(
  { reports, site }: PageServices,
  account: string,
  { grant, jobKey }: Present,
): Promise<Past> {
  if (!site.reportIds) return noPast;
  const { reportStore } = reports;
  const { check, target, checkedAt, reportId } = grant;
  // A URL may be somebody's secret, and so may what was asked beyond the default: callers without a token have no past of it.
  if (account === anonymousAccount && !isPublic(grant)) return noPast;
  // A report that was made for a caller without a token has no grant, as everybody may read it; a history is made of grants.
  // A store that refuses writes must not fail the page.
  await reportStore.grants.give(account, grant).catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
  });
  const before = { checkedAt, reportId };
  const options = optionsAsked(grant);
  const question = { account, check, target, options, limit: mostScores + 1, before };
  const listed = await reportStore.grants.list(question);
  // Two processes may tell the time of one report by a millisecond apart: it is not its own past.
  const earlier = listed.filter(({ reportId: id }) => id !== reportId).slice(0, mostScores);
  const read = await Promise.all(earlier.slice(0, mostRead).map(({ reportId: id }) => reportStore.get(id)));
  const previous = read.find((stored) => stored?.jobKey === jobKey);
  return {
    scores: [...earlier].reverse().concat(grant),
    previous: previous && readReport(previous),
  };
}

/** What changed since the report before; undefined where there is none, or where it did not finish. */
export function changesSince({ previous }: Past, report: Report): ReportDiff | undefined {
  return previous && previous.state !== 'failed' ? diffReports(previous, report) : undefined;
}

// Reports with other options are no points of one line. What an earlier release kept may have had any.
function optionsAsked({ check, options }: Grant): HistoryQuestion['options'] {
  const isPlain = options === plainOptions || (options === null && everPlainChecks.includes(check));
  return isPlain ? 'plain' : { text: options ?? 'unknown' };
}

function isPublic(grant: Grant): boolean {
  return optionsAsked(grant) === 'plain' && findSpec(grant.check)?.targetKind === 'domain';
}
