import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { Problem } from '#shared/model/problem';
import { anonymousAccount, grantOf } from '#shared/report-store/grants';
import { readReport } from '#shared/report-store/read-report';
import { type Representation, represent } from '../answer/representation.ts';
import { findReadable } from '../reports/readable.ts';
import { sendStored } from '../reports/send-stored.ts';
import { admit } from '../request/admit.ts';
import { readOwnQuery } from '../request/read-query.ts';
import { basePathOf, type PageDesk } from './page-desk.ts';
import { findPast } from './past.ts';
import { reportPage } from './report-page.ts';

type Kept = { readonly page: Representation; heldBytes: number };
type Pages = LRUCache<string, Kept>;

const pageBytes = 16 * 1024 * 1024;
const objectBytes = 2048;

/** Pages of reports that were asked for lately: a report never changes, and so its page does not. */
export function openPages(): Pages {
  return new LRUCache({ maxSize: pageBytes, sizeCalculation: ({ heldBytes }) => heldBytes });
}

/** Answers /r/{id}: a report for people, of those that were given to callers without a token. */
export async function answerSharedReport(
  desk: PageDesk,
  pages: Pages,
  request: Request,
  response: Response,
): Promise<void> {
  const { site, shelf, admission } = desk;
  // Before authentication: where there are no ids, no token opens anything.
  if (!site.reportIds)
    throw new Problem('report_ids_disabled', 'Reports have no ids here. Ask for the domain itself.');
  const caller = await admit(admission, request, response, 'tools');
  readOwnQuery(request, []);
  const stored = site.isOpen
    ? await findReadable(shelf, { ...caller, account: anonymousAccount }, String(request.params['id']))
    : undefined;
  if (!stored) throw new Problem('report_not_found', 'Reports have no public pages here.');
  const known = pages.get(stored.reportId)?.page;
  const page = known ?? (await makePage());
  await sendStored(request, response, stored, page);

  async function makePage(): Promise<Representation> {
    if (!stored) throw new Error('a stored report was found');
    const past = await findPast(desk, anonymousAccount, { grant: grantOf(stored), jobKey: stored.jobKey });
    const html = Buffer.from(reportPage({ report: readReport(stored), base: basePathOf(site), past }));
    const made = represent(html, 'text/html; charset=utf-8', (moreBytes) => {
      kept.heldBytes += moreBytes;
      // The cache counts an entry when it is set.
      if (pages.peek(stored.reportId) === kept && pages.delete(stored.reportId))
        pages.set(stored.reportId, kept);
    });
    const kept: Kept = { page: made, heldBytes: objectBytes + html.length };
    pages.set(stored.reportId, kept);
    return made;
  }
}
