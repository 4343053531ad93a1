import type { IncomingHttpHeaders } from 'node:http';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Caller } from '#shared/limits/caller';
import { anonymousAccount, grantOf } from '#shared/model/grant';
import { Problem } from '#shared/model/problem';
import type { StoredReport } from '#shared/ports/report-store';
import { pdf } from '#shared/render/formats';
import { drawFilmstrip, filmstripSchema, type FramePicture } from '#shared/render/html/pictures/page-load';
import { readReport } from '#shared/stores/reports/read-report';
import { type Representation, represent } from '../answer/representation.ts';
import { findReadable, sendStored } from '../reports/readable.ts';
import { findPdf, sendPdf } from '../reports/send-pdf.ts';
import { pictureTypeOf, readFormat, sendExport } from '../reports/show.ts';
import { admit } from '../request/admit.ts';
import { readOwnQuery } from '../request/read-query.ts';
import { basePathOf, type PageServices } from './page-services.ts';
import { seeOther } from './page.ts';
import { findPast } from './past.ts';
import { reportPage } from './report-page.ts';

type CachedPage = { readonly page: Representation; heldBytes: number };
type Pages = LRUCache<string, CachedPage>;

const pageBytes = 16 * 1024 * 1024;
const objectBytes = 2048;

/** Pages of reports that were asked for lately: a report never changes, and so its page does not. */
export function openPages(): Pages {
  return new LRUCache({ maxSize: pageBytes, sizeCalculation: ({ heldBytes }) => heldBytes });
}

/** Answers /r/{id}: a report for people; with `format=pdf` on paper. */
export async function answerSharedReport(
  services: PageServices,
  pages: Pages,
  request: Request,
  response: Response,
): Promise<void> {
  const { site } = services;
  const { caller, stored } = await findShared(services, request, response);
  const { format } = readOwnQuery(request, ['format']);
  if (format !== undefined) {
    if (format !== pdf.name) throw notOnPaper();
    return answerPdf(services, { caller, stored }, request, response);
  }
  // With tokens a page shows what its own account has seen before.
  const known = site.isOpen ? pages.get(stored.reportId)?.page : undefined;
  await sendStored(request, response, stored, known ?? (await makePage()));

  async function makePage(): Promise<Representation> {
    const account = site.isOpen ? anonymousAccount : caller.account;
    const past = await findPast(services, account, { grant: grantOf(stored), jobKey: stored.jobKey });
    const html = Buffer.from(
      reportPage({ report: readReport(stored), services, origin: site.publicPath, past }),
    );
    if (!site.isOpen) return represent(html, 'text/html; charset=utf-8');
    const made = represent(html, 'text/html; charset=utf-8', (moreBytes) => {
      kept.heldBytes += moreBytes;
      // The cache counts an entry when it is set.
      if (pages.peek(stored.reportId) === kept && pages.delete(stored.reportId))
        pages.set(stored.reportId, kept);
    });
    const kept: CachedPage = { page: made, heldBytes: objectBytes + html.length };
    pages.set(stored.reportId, kept);
    return made;
  }
}

/** Answers /r/{id}/export?format=: the report of that page as a file, in each format that the API has. */
export async function answerSharedExport(
  services: PageServices,
  request: Request,
  response: Response,
): Promise<void> {
  const { caller, stored } = await findShared(services, request, response);
  const format = readFormat(request);
  if (format === pdf.name) return answerPdf(services, { caller, stored }, request, response);
  await sendExport(services, stored, format, response);
}

/** A report that may be shown, and who asks for it now. */
type Shared = { readonly caller: Caller; readonly stored: StoredReport };

/**
 * Finds the report of /r/{id}: in open mode of those that were given to callers without a token, in token mode of those that the account was
 * given, with the scope to read them. Throws `report_not_found` for every other.
 */
async function findShared(
  { site, reports, limits }: PageServices,
  request: Request,
  response: Response,
): Promise<Shared> {
  // Before authentication: where there are no ids, no token opens anything.
  if (!site.reportIds)
    throw new Problem('report_ids_disabled', 'Reports have no ids here. Ask for the domain itself.');
  const caller = await admit(limits, request, response, site.isOpen ? 'tools' : 'reports:read');
  const reader = site.isOpen ? { ...caller, account: anonymousAccount } : caller;
  return { caller, stored: await findReadable(reports, reader, String(request.params['id'])) };
}

async function answerPdf(
  services: PageServices,
  { caller, stored }: Shared,
  request: Request,
  response: Response,
): Promise<void> {
  // Nobody has asked for the work that a prefetch or a foreign page would start; a PDF that is kept costs none.
  const isMeant = !isUnasked(request.headers) && !services.origins.isFromOtherSite(request.headers);
  if (!isMeant && !(await findPdf(services, stored)))
    return seeOther(response, `${basePathOf(services.site)}/r/${stored.reportId}`);
  await sendPdf(services, caller, stored, response);
}

function notOnPaper(): Problem {
  const detail = 'A page is also there as: pdf. Its other formats are below /export.';
  return new Problem('unknown_format', `format: ${detail}`, {
    errors: [{ in: 'query', name: 'format', detail }],
  });
}

/** True for a load without a user's intent: a prefetch, or a request from another site. */
function isUnasked(headers: IncomingHttpHeaders): boolean {
  const purpose = `${String(headers['sec-purpose'] ?? '')} ${String(headers['purpose'] ?? '')}`;
  return /prefetch|preview/i.test(purpose) || headers['sec-fetch-site'] === 'cross-site';
}

/** Pictures of the target within a picture of ours: only as data, and nothing of it runs. */
const picturePolicy = "default-src 'none'; img-src data:; sandbox";

/** Answers /r/{id}/filmstrip.svg: how the page looked while it loaded, or at the end, where only that is kept. */
export async function answerFilmstrip(
  services: PageServices,
  request: Request,
  response: Response,
): Promise<void> {
  const { stored } = await findShared(services, request, response);
  readOwnQuery(request, []);
  const frames = await findFrames(services, stored);
  if (frames.length === 0) throw new Problem('not_found', 'This report has no pictures.');
  response.setHeader('Content-Security-Policy', picturePolicy);
  await sendStored(request, response, stored, represent(Buffer.from(drawFilmstrip(frames)), 'image/svg+xml'));
}

async function findFrames(
  { reports: { reportStore } }: PageServices,
  stored: StoredReport,
): Promise<readonly FramePicture[]> {
  const { reportId } = stored;
  const kept = await reportStore.getBlob({ reportId, kind: 'filmstrip' });
  if (kept) return readFrames(kept);
  const bytes = await reportStore.getBlob({ reportId, kind: 'screenshot' });
  const type = bytes && pictureTypeOf(bytes);
  const size = screenshotSchema.safeParse(readReport(stored));
  if (!bytes || !type || !size.success) return [];
  return [{ atMs: 0, ...size.data.screenshot, type, base64: Buffer.from(bytes).toString('base64') }];
}

const screenshotSchema = z.looseObject({
  screenshot: z.object({ width: z.int().min(1), height: z.int().min(1) }),
});

// A store may have been written to by others.
function readFrames(bytes: Uint8Array): readonly FramePicture[] {
  const frames = filmstripSchema.safeParse(parseJson(bytes)).data ?? [];
  return frames.map(({ jpeg, ...frame }) => ({ ...frame, type: 'image/jpeg', base64: jpeg }));
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined; // said as "no pictures"
  }
}
