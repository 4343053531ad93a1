import type { Request, Response } from 'express';
import type { StoredReport } from '#shared/ports/report-store';
import { type Representation, sendRepresentation } from '../answer/representation.ts';
import { noteSubject } from '../request/request-log.ts';

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
