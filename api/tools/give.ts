import { z } from 'zod';
import { grantOf } from '#shared/model/grant';
import type { ReadyReport } from '../answer/ready-report.ts';
import type { Desk } from '../desk.ts';
import type { Caller } from '../request/caller.ts';

/**
 * Writes once, before the answer, that a caller was given a report: they may read it again by its id, and so the reports that it names.
 * Where reports have no ids there is nothing to write.
 */
export async function give(
  { site, shelf }: Pick<Desk, 'site' | 'shelf'>,
  { account }: Caller,
  ready: ReadyReport,
): Promise<void> {
  if (!site.reportIds || ready.isGivenTo(account)) return;
  const parts = await Promise.all(partIdsIn(ready).map((id) => shelf.reportStore.get(id)));
  const grants = [ready.grant, ...parts.flatMap((part) => (part && !part.isOpen ? [grantOf(part)] : []))];
  await Promise.all(grants.map((grant) => shelf.reportStore.grants.give(account, grant)));
  ready.noteGiven(account);
}

/** The ids of the reports that a domain-health report is made of. */
function partIdsIn({ grant, identity }: ReadyReport): readonly string[] {
  if (grant.check !== 'domain-health') return [];
  const { categories, entryPoints } = partsSchema.parse(JSON.parse(identity().toString()));
  const ids = [...Object.values(categories), ...entryPoints].flatMap(({ report }) => report?.reportId ?? []);
  return [...new Set(ids)];
}

const partSchema = z.looseObject({ report: z.looseObject({ reportId: z.string().optional() }).nullish() });

/** What of a domain-health report names its parts. */
const partsSchema = z.looseObject({
  categories: z.record(z.string(), partSchema).default({}),
  entryPoints: z.array(partSchema).default([]),
});
