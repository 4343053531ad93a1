import { isRandomId } from '#shared/model/job';
import { Problem } from '#shared/model/problem';
import type { StoredReport } from '#shared/ports/report-store';
import type { Caller } from '../request/caller.ts';
import type { Shelf } from '../tools/shelf.ts';

/** Stands for an id that cannot be one: it is looked up like any other. */
const nobodysId = '0'.repeat(32);

/**
 * A report that the caller may read. Throws `report_not_found` for one that is unknown, expired or another's, and for what is no id:
 * each after the same one look for a grant, so that neither answer nor time tells them apart.
 */
export async function findReadable(
  { reportStore }: Shelf,
  caller: Caller,
  reportId: string,
): Promise<StoredReport> {
  const asked = isRandomId(reportId) ? reportId : nobodysId;
  const isGiven = await reportStore.grants.isGiven(caller.account, asked);
  const stored = isGiven ? await reportStore.get(asked) : undefined;
  if (stored) return stored;
  throw new Problem(
    'report_not_found',
    'There is no such report for this token: it is unknown, expired, or was given to another account. Repeat the GET of the tool for a new one.',
  );
}
