import type { Request, Response } from 'express';
import type { Caller } from '#shared/limits/caller';
import { isRandomId } from '#shared/model/job';
import { Problem } from '#shared/model/problem';
import type { StoredReport } from '#shared/ports/report-store';
import type { Reports } from '../answer/ready-report.ts';
import { type Representation, sendRepresentation } from '../answer/representation.ts';
import { noteSubject } from '../request/request-log.ts';
import type { Services } from '../services.ts';

/** Stands for an id that cannot be one: it is looked up like any other. */
const nobodysId = '0'.repeat(32);

/**
 * A report that the caller may read. Throws `report_not_found` for one that is unknown, expired or another's, and for what is no id:
 * each after the same one look for a grant, so that neither answer nor time tells them apart.
 */
export async function findReadable(
  { reportStore }: Reports,
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

/** What the endpoints of stored reports take. */
export type ReportServices = Pick<
  Services,
  'limits' | 'jobs' | 'reports' | 'site' | 'streams' | 'targetPolicy'
>;

const longestAgeS = 86_400;

/** Sends what is made of a stored report and never changes: it may be kept until the report is gone, a day at most. */
export async function sendStored(
  request: Request,
  response: Response,
  { reportId, checkedAt, expiresAt }: StoredReport,
  representation: Representation,
): Promise<void> {
  noteSubject(response, { reportId });
  const leftS = Math.floor((expiresAt - Date.now()) / 1000);
  await sendRepresentation(request, response, representation, [
    'Cache-Control',
    `private, max-age=${Math.max(0, Math.min(longestAgeS, leftS))}`,
    'Cache-Status',
    'diag; hit',
    'Last-Modified',
    new Date(checkedAt).toUTCString(),
  ]);
}

/** What every caller is told of stored reports where they have no ids. */
export function noIds(): Problem {
  return new Problem(
    'report_ids_disabled',
    'Reports have no ids here. Ask the tool itself: it answers from what is fresh, or checks again.',
  );
}
