import type { Request, Response } from 'express';
import { printQuestion, reportPrint } from '#shared/catalogue/report-print';
import type { Caller } from '#shared/limits/caller';
import { freshnessOf } from '#shared/model/freshness';
import { Problem } from '#shared/model/problem';
import type { StoredReport } from '#shared/ports/report-store';
import { fileNameOf, pdf } from '#shared/render/formats';
import { readReport } from '#shared/stores/reports/read-report';
import { represent } from '../answer/representation.ts';
import { askAsCaller, waitSecondsOf } from '../ask/ask-as-caller.ts';
import type { Services } from '../services.ts';
import { sendStored } from './readable.ts';

/** What making a PDF takes: the store that keeps it, and the queue to the workers that have a browser. */
export type PrintServices = Pick<Services, 'jobs' | 'reports' | 'site'>;

/** Sends a report that the caller may read as a PDF: the one that is kept, or one that a browser worker makes now. */
export async function sendPdf(
  services: PrintServices,
  caller: Caller,
  stored: StoredReport,
  response: Response,
): Promise<void> {
  const bytes = (await findPdf(services, stored)) ?? (await makePdf(services, caller, stored, response));
  const name = fileNameOf(readReport(stored), pdf.extension);
  response.setHeader('Content-Disposition', `attachment; filename="${name}"`);
  response.appendHeader('Link', services.site.linksOf(stored.reportId));
  await sendStored(response.req as Request, response, stored, represent(bytes, pdf.contentType));
}

/** The PDF that is kept of a report. */
export async function findPdf(
  { reports }: PrintServices,
  { reportId }: StoredReport,
): Promise<Uint8Array | undefined> {
  return reports.reportStore.getBlob({ reportId, kind: 'pdf' });
}

// The queue's own words are of page loads.
function tellPrint(error: unknown): never {
  if (!(error instanceof Problem) || error.code !== 'browser_unavailable') throw error;
  const { detail, retryAfterS = reportPrint.refreshFloorS } = error;
  throw new Problem('browser_unavailable', `A browser prints the PDF. ${detail}`, {
    retryAfterS,
    cause: error,
  });
}

/** Waits for a browser worker; paid and limited as a page load. Throws the Problem that says why there is none. */
async function makePdf(
  services: PrintServices,
  caller: Caller,
  stored: StoredReport,
  response: Response,
): Promise<Uint8Array> {
  const question = {
    ...printQuestion(stored.reportId),
    spec: reportPrint,
    owner: services.site.ownerOf(caller.account),
  };
  const answer = await askAsCaller(
    services,
    { caller, response },
    {
      question,
      freshness: freshnessOf(reportPrint, 0, Date.now()),
      waitS: waitSecondsOf(services.jobs, reportPrint, undefined),
      // Its own report only says how the print ended, and is never shown.
      account: undefined,
    },
  ).catch(tellPrint);
  if (answer.kind !== 'report')
    throw new Problem('overloaded', 'The PDF is not ready yet. Repeat the GET.', { retryAfterS: 5 });
  const bytes = answer.report.grant.state === 'failed' ? undefined : await findPdf(services, stored);
  if (bytes) return bytes;
  throw new Problem(
    'browser_unavailable',
    'The browser could not print this report. Ask again in a minute; the other formats are there.',
    { retryAfterS: reportPrint.refreshFloorS },
  );
}
