import type { Request, Response } from 'express';
import { makeJob } from '#shared/catalogue/make-job';
import { printQuestion, reportPrint, wantedPrint } from '#shared/catalogue/report-print';
import { Problem } from '#shared/model/problem';
import type { StoredReport } from '#shared/ports/report-store';
import { fileNameOf, pdf } from '#shared/render/formats';
import { readReport } from '#shared/stores/reports/read-report';
import { represent } from '../answer/representation.ts';
import type { Desk } from '../desk.ts';
import type { Caller } from '../request/caller.ts';
import { requestIdOf } from '../request/request-log.ts';
import { runOrJoin } from '../tools/runs.ts';
import { sendStored } from './readable.ts';

/** What making a PDF takes: the store that keeps it, and the queue to the workers that have a browser. */
export type PrintDesk = Pick<Desk, 'runs' | 'shelf' | 'site'>;

/** Sends a report that the caller may read as a PDF: the one that is kept, or one that a browser worker makes now. */
export async function sendPdf(
  desk: PrintDesk,
  caller: Caller,
  stored: StoredReport,
  response: Response,
): Promise<void> {
  const bytes = (await findPdf(desk, stored)) ?? (await makePdf(desk, caller, stored, response));
  const name = fileNameOf(readReport(stored), pdf.extension);
  response.setHeader('Content-Disposition', `attachment; filename="${name}"`);
  response.appendHeader('Link', desk.site.linksOf(stored.reportId));
  await sendStored(response.req as Request, response, stored, represent(bytes, pdf.contentType));
}

/** The PDF that is kept of a report. */
export async function findPdf(
  { shelf }: PrintDesk,
  { reportId }: StoredReport,
): Promise<Uint8Array | undefined> {
  return shelf.reportStore.getBlob({ reportId, kind: 'pdf' });
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
  desk: PrintDesk,
  caller: Caller,
  stored: StoredReport,
  response: Response,
): Promise<Uint8Array> {
  const { runs } = desk;
  const now = Date.now();
  const account = desk.site.ownerOf(caller.account);
  const wish = {
    ...printQuestion(stored.reportId),
    caller: caller.id,
    requestId: requestIdOf(response),
    ...(account === undefined ? {} : { account }),
    wanted: wantedPrint(now),
  };
  const job = makeJob(reportPrint, wish, now + runs.queueSeconds * 1000);
  const running = { job, caller, ask: { waitS: undefined }, response };
  const outcome = await runOrJoin(runs, reportPrint, running).catch(tellPrint);
  if (outcome.kind !== 'report')
    throw new Problem('overloaded', 'The PDF is not ready yet. Repeat the GET.', { retryAfterS: 5 });
  const bytes = outcome.stored.state === 'failed' ? undefined : await findPdf(desk, stored);
  if (bytes) return bytes;
  throw new Problem(
    'browser_unavailable',
    'The browser could not print this report. Ask again in a minute; the other formats are there.',
    { retryAfterS: reportPrint.refreshFloorS },
  );
}
