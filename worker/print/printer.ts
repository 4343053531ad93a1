import { pdfKeptForMs, printQuestion, reportPrint } from '#shared/catalogue/report-print';
import { isRandomId, type Job } from '#shared/model/job';
import { Problem } from '#shared/model/problem';
import { makeFailedReport, makeReport, type Report, type ReportState } from '#shared/model/report';
import type { GaveUp, RunJob } from '#shared/ports/job-queue';
import type { ReportStore } from '#shared/ports/report-store';
import { renderHtml } from '#shared/render/html/page';
import { targetOf, timeWords } from '#shared/render/report-words';
import { cut } from '#shared/render/visible-text';
import { readReport } from '#shared/stores/reports/read-report';
import type { Logger } from '#shared/telemetry/logger';
import { type PrintSettings, printHtml } from './print-html.ts';
import type { Paper, Printed } from './print-page.ts';

export type PrinterSettings = {
  readonly reportStore: ReportStore;
  readonly print: PrintSettings;
  /** Prefix of links: the address that callers use, or "". */
  readonly publicPath: string;
  readonly log: Logger;
  /** Unix ms by the clock that all processes share. */
  readonly now: () => number;
  readonly onDone: (check: string, state: ReportState, seconds: number) => void;
};

/** Runs the jobs that make PDFs: each is kept beside its report, and a report of the job's own says so. */
export type Printer = { readonly run: RunJob; readonly gaveUp: GaveUp };

const longestTitle = 120;

/** Opens the printer. */
export function openPrinter(settings: PrinterSettings): Printer {
  const { reportStore, log, now, onDone } = settings;
  return {
    async run(job, { attempt }, stop) {
      // A writer to Redis can choose neither what is printed nor the key of its result.
      if (!isWellMade(job)) {
        log.warn({ jobId: job.jobId }, 'print refused: it does not fit a print');
        return 'failed';
      }
      const { jobKey, wanted } = job;
      if ((await reportStore.findFresh([{ jobKey, wanted }])).has(jobKey)) return undefined;
      const start = performance.now();
      const printed = await printStored(job, settings, stop);
      const tookMs = Math.round(performance.now() - start);
      const about = { jobId: job.jobId, requestId: job.requestId, reportId: job.target, attempt, tookMs };
      const isPrinted = 'pdf' in printed;
      if (isPrinted)
        log.info({ ...about, bytes: printed.pdf.length, refused: printed.refused }, 'report printed');
      else log.warn({ ...about, reason: printed.failure }, 'report not printed');
      await reportStore.insert(
        isPrinted ? printedReport(job, now(), tookMs) : failedPrint(job, now(), printed.failure),
        job,
      );
      onDone(reportPrint.name, isPrinted ? 'complete' : 'failed', tookMs / 1000);
      return isPrinted ? undefined : 'failed';
    },
    async gaveUp(job, cause) {
      log.warn({ jobId: job.jobId, err: cause }, 'print given up');
      if (cause instanceof Problem || !isWellMade(job)) return;
      await reportStore
        .insert(failedPrint(job, now(), 'the run was broken off'), job)
        .catch((error: unknown) => {
          if (!(error instanceof Problem)) throw error;
          log.warn({ jobId: job.jobId, err: error }, 'could not store the result of a print'); // the next GET starts the work again
        });
    },
  };
}

function isWellMade({ queue, target, jobKey, host }: Job): boolean {
  const question = isRandomId(target) ? printQuestion(target) : undefined;
  return queue === reportPrint.queue && jobKey === question?.jobKey && host === question.host;
}

async function printStored(
  { target: reportId }: Job,
  { reportStore, print, publicPath, now }: PrinterSettings,
  stop: AbortSignal,
): Promise<Printed> {
  const stored = await reportStore.get(reportId);
  if (!stored) return { failure: 'the report is gone' };
  const limit = AbortSignal.timeout(reportPrint.runLimitMs());
  try {
    const printed = await printHtml(
      paperOf(readReport(stored), publicPath),
      print,
      AbortSignal.any([stop, limit]),
    );
    if ('pdf' in printed) {
      const keptForMs = Math.min(stored.expiresAt - Date.now(), pdfKeptForMs);
      await reportStore.keepBlob({ reportId, kind: 'pdf' }, printed.pdf, now() + keptForMs);
    }
    return printed;
  } catch (error) {
    // A stopping worker gives the job back; a defect rises.
    if (!limit.aborted || stop.aborted) throw error;
    return { failure: `it took longer than ${reportPrint.runLimitMs() / 1000} s` };
  }
}

function paperOf(report: Report, publicPath: string): Paper {
  const json = report.reportId === undefined ? undefined : `${publicPath}/api/reports/${report.reportId}`;
  return {
    html: renderHtml(report, json),
    title: `${report.check}: ${cut(targetOf(report), longestTitle)}`,
    note: `Diagnostic Tools · checked ${timeWords(report.checkedAt)}`,
  };
}

function printedReport(job: Job, nowMs: number, durationMs: number): Report {
  const facts = { ...factsOf(job, nowMs), durationMs };
  return makeReport(facts, { state: 'complete', verdicts: {}, score: null, fields: {} });
}

function failedPrint(job: Job, nowMs: number, reason: string): Report {
  return makeFailedReport(factsOf(job, nowMs), `No PDF was made: ${reason}.`);
}

function factsOf({ target }: Job, checkedAtMs: number) {
  return {
    check: reportPrint.name,
    target: { reportId: target },
    rules: {},
    rulesVersion: reportPrint.rulesVersion,
    reportId: undefined,
    checkedAtMs,
    durationMs: 0,
    freshForS: reportPrint.freshForS,
    // Only those who wait read it, and a second attempt after a kill.
    keepForS: 300,
  };
}
