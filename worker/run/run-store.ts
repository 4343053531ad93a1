import type { ReportStore } from '#shared/ports/report-store';

/** What a run asks of the store while it is under way; its results are stored by the code that started it. */
export type RunStore = {
  findFresh(
    ...asked: Parameters<ReportStore['findFresh']>
  ): Promise<ReadonlyMap<string, { readonly reportId: string }>>;
  insert(...given: Parameters<ReportStore['insert']>): Promise<unknown>;
};
