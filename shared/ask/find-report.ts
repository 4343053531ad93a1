import type { Freshness } from '../model/freshness.ts';
import type { ReportStore } from '../ports/report-store.ts';
import { judgeStored } from './judge-stored.ts';
import type { Question } from './question.ts';
import type { KnownReport, RememberedReports } from './reports.ts';

/** Where reports are: in memory, and behind it in the store. */
export type ReportPlaces<R extends KnownReport> = {
  readonly remembered: RememberedReports<R>;
  readonly reportStore: ReportStore;
};

/** A report that answers at once: from memory, from the store, or judged anew from a stored one of the same target. No run, no cost. */
export async function findReport<R extends KnownReport>(
  { remembered, reportStore }: ReportPlaces<R>,
  question: Question,
  freshness: Freshness,
  isAnonymous: boolean,
): Promise<R | undefined> {
  const { jobKey } = question;
  const inMemory = remembered.find(jobKey, freshness, Date.now());
  if (inMemory) return inMemory;
  const stored = (await reportStore.findFresh([{ jobKey, wanted: freshness }])).get(jobKey);
  if (stored) return remembered.keep(stored);
  const judged = await judgeStored(reportStore, question, freshness, isAnonymous);
  return judged && remembered.keep(judged);
}
