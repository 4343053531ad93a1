import type { AcceptedAge } from '#shared/model/job';
import type { ReportStore } from '#shared/ports/report-store';
import type { ReadyReport, ReportCache } from '../answer/ready-report.ts';

/** Where reports are: in memory, and behind it in the store. */
export type Shelf = { readonly reports: ReportCache; readonly reportStore: ReportStore };

/** A report that answers at once, from memory or from the store. */
export async function findKnown(
  { reports, reportStore }: Shelf,
  jobKey: string,
  wanted: AcceptedAge,
  now: number,
): Promise<ReadyReport | undefined> {
  const inMemory = reports.find(jobKey, wanted, now);
  if (inMemory) return inMemory;
  const stored = (await reportStore.findFresh([{ jobKey, wanted }])).get(jobKey);
  return stored && reports.keep(stored);
}
