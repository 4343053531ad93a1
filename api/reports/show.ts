import type { Request, Response } from 'express';
import type { Caller } from '#shared/limits/caller';
import { Problem } from '#shared/model/problem';
import type { StoredReport } from '#shared/ports/report-store';
import { type CheckFormatName, isCheckFormat } from '#shared/render/check-formats';
import {
  exportNames,
  exportNamesOf,
  type FormatName,
  fileNameOf,
  isFormatName,
  pdf,
  renderReport,
} from '#shared/render/formats';
import { htmlPolicy } from '#shared/render/html/style';
import { readReport } from '#shared/stores/reports/read-report';
import { represent, representStored } from '../answer/representation.ts';
import { readOwnQuery } from '../request/read-query.ts';
import { findReadable, type ReportServices, sendStored } from './readable.ts';
import { sendPdf } from './send-pdf.ts';

/** Answers /api/reports/{id}: the report exactly as it was given. */
export async function answerReport(
  { reports, site }: ReportServices,
  caller: Caller,
  request: Request,
  response: Response,
): Promise<void> {
  readOwnQuery(request, []);
  const stored = await findReadable(reports, caller, String(request.params['id']));
  response.appendHeader('Link', site.linksOf(stored.reportId));
  await sendStored(request, response, stored, representStored(stored));
}

/** Answers /api/reports/{id}/export?format=: the report as a file. `format` alone decides, Accept is not judged. */
export async function answerExport(
  services: ReportServices,
  caller: Caller,
  request: Request,
  response: Response,
): Promise<void> {
  const format = readFormat(request);
  const stored = await findReadable(services.reports, caller, String(request.params['id']));
  if (format === pdf.name) return sendPdf(services, caller, stored, response);
  await sendExport(services, stored, format, response);
}

/** Sends a report that the caller may read as a file of this format. */
export async function sendExport(
  { site }: Pick<ReportServices, 'site'>,
  stored: StoredReport,
  format: FormatName | CheckFormatName,
  response: Response,
): Promise<void> {
  // Checked only now: the check of a report is not revealed to callers who may not read it.
  if (!exportNamesOf(stored.check).includes(format)) throw unknownFormat(exportNamesOf(stored.check));
  const report = readReport(stored);
  const { contentType, extension, text } = renderReport(report, format);
  response.setHeader('Content-Disposition', `attachment; filename="${fileNameOf(report, extension)}"`);
  response.appendHeader('Link', site.linksOf(stored.reportId));
  if (format === 'html') response.setHeader('Content-Security-Policy', htmlPolicy);
  await sendStored(response.req as Request, response, stored, represent(Buffer.from(text), contentType));
}

/** Answers /api/reports/{id}/screenshot: the picture that pagespeed-check took. */
export async function answerScreenshot(
  { reports }: ReportServices,
  caller: Caller,
  request: Request,
  response: Response,
): Promise<void> {
  readOwnQuery(request, []);
  const stored = await findReadable(reports, caller, String(request.params['id']));
  const bytes = await reports.reportStore.getBlob({ reportId: stored.reportId, kind: 'screenshot' });
  const contentType = bytes && pictureTypeOf(bytes);
  if (!bytes || contentType === undefined) throw new Problem('not_found', 'This report has no screenshot.');
  response.setHeader('Content-Security-Policy', "default-src 'none'; sandbox");
  await sendStored(request, response, stored, represent(bytes, contentType));
}

/** The format that `format` names; JSON where it is left out. Throws the Problem of an unknown one. */
export function readFormat(request: Request): FormatName | CheckFormatName | typeof pdf.name {
  const { format = 'json' } = readOwnQuery(request, ['format']);
  if (isFormatName(format) || isCheckFormat(format) || format === pdf.name) return format;
  throw unknownFormat(exportNames);
}

function unknownFormat(names: readonly string[]): Problem {
  const detail = `There is no such format. There are: ${[...names, pdf.name].join(', ')}.`;
  return new Problem('unknown_format', `format: ${detail}`, {
    errors: [{ in: 'query', name: 'format', detail }],
  });
}

/** What kind of picture these bytes begin as. The page that was photographed is a stranger's: nothing else is sent as one. */
export function pictureTypeOf(bytes: Uint8Array): 'image/jpeg' | 'image/png' | 'image/webp' | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('\x89PNG\r\n')) return 'image/png';
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'image/webp' : undefined;
}
