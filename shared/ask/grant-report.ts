import { z } from 'zod';
import { grantOf } from '../model/grant.ts';
import type { ReportStore } from '../ports/report-store.ts';
import type { KnownReport } from './reports.ts';

/** Where grants are written. */
export type GrantParts = {
  readonly reportStore: Pick<ReportStore, 'get' | 'grants'>;
  /** REPORT_IDS: where reports have no ids there is nothing to write. */
  readonly reportIds: boolean;
};

/** Writes once, before the answer, that an account was given a report: it may read it again by its id, and so the reports that it names. */
export async function grantReport(
  { reportStore, reportIds }: GrantParts,
  account: string,
  report: KnownReport,
): Promise<void> {
  if (!reportIds || report.isGivenTo(account)) return;
  const parts = await Promise.all(partIdsIn(report).map((id) => reportStore.get(id)));
  const grants = [report.grant, ...parts.flatMap((part) => (part && !part.isOpen ? [grantOf(part)] : []))];
  await Promise.all(grants.map((grant) => reportStore.grants.give(account, grant)));
  report.noteGiven(account);
}

/** The ids of the reports that a domain-health report is made of. */
export function partIdsIn({ grant, identity }: KnownReport): readonly string[] {
  if (grant.check !== 'domain-health') return [];
  const { categories, entryPoints } = partsSchema.parse(JSON.parse(Buffer.from(identity()).toString()));
  const ids = [...Object.values(categories), ...entryPoints].flatMap(({ report, mailHosts }) =>
    [report, mailHosts?.report].flatMap((part) => part?.reportId ?? []),
  );
  return [...new Set(ids)];
}

const namedSchema = z.looseObject({ reportId: z.string().optional() }).nullish();
const partSchema = z.looseObject({
  report: namedSchema,
  mailHosts: z.looseObject({ report: namedSchema }).nullish(),
});

/** What of a domain-health report names its parts. */
const partsSchema = z.looseObject({
  categories: z.record(z.string(), partSchema).default({}),
  entryPoints: z.array(partSchema).default([]),
});
