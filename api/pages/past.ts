import { diffReports, type ReportDiff } from '#shared/model/diff';
import type { Grant } from '#shared/model/grant';
import { Problem } from '#shared/model/problem';
import type { Report } from '#shared/model/report';
import { readReport } from '#shared/stores/reports/read-report';
import type { PageDesk } from './page-desk.ts';

/** Earlier reports of the same question that this account has seen. */
export type Past = {
  /** The reports before and this one, oldest first: what a line of scores shows. */
  readonly scores: readonly Pick<Grant, 'checkedAt' | 'score' | 'grade'>[];
  /** The one before this. */
  readonly previous: Report | undefined;
};

const mostScores = 30;
const noPast: Past = { scores: [], previous: undefined };

/** A report whose past is looked up, by what the store knows of it. */
export type Present = { readonly grant: Grant; readonly jobKey: string };

/** Looks up what this account saw before this report, and notes that it has seen this one; nothing where reports have no ids. */
export async function findPast(
  { shelf, site }: PageDesk,
  account: string,
  { grant, jobKey }: Present,
): Promise<Past> {
  if (!site.reportIds) return noPast;
  const { reportStore } = shelf;
  const { check, target, checkedAt, reportId } = grant;
  // A report that was made for a caller without a token has no grant, as everybody may read it; a history is made of grants.
  // A store that takes no writes now costs nobody the page.
  await reportStore.grants.give(account, grant).catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
  });
  const before = { checkedAt, reportId };
  const listed = await reportStore.grants.list({ account, check, target, limit: mostScores + 1, before });
  // Two processes may tell the time of one report by a millisecond apart: it is not its own past.
  const earlier = listed.filter(({ reportId: id }) => id !== reportId).slice(0, mostScores);
  // Reports with other options are no points of one line, and a grant does not tell the options: the key of the report does.
  const read = await Promise.all(earlier.map(({ reportId: id }) => reportStore.get(id)));
  const isSame = (index: number) => read[index]?.jobKey === jobKey;
  const previous = read.find((stored) => stored?.jobKey === jobKey);
  return {
    scores: earlier
      .filter((_, index) => isSame(index))
      .toReversed()
      .concat(grant),
    previous: previous && readReport(previous),
  };
}

/** What changed since the report before; undefined where there is none, or where it did not finish. */
export function changesSince({ previous }: Past, report: Report): ReportDiff | undefined {
  return previous && previous.state !== 'failed' ? diffReports(previous, report) : undefined;
}
