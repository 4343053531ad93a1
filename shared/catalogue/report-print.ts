import { z } from 'zod';
import { type Job, makeJobKey } from '../model/job.ts';
import type { CheckSpec } from './spec.ts';

/**
 * The internal job that makes a PDF of a stored report. Its target is the report's id, and nothing of the report's own target is asked.
 * It has no endpoint of its own; its report only says that the PDF is kept, or why there is none.
 */
export const reportPrint = {
  name: 'report-print',
  summary: 'Makes a PDF of a stored report.',
  targetKind: 'domain',
  queue: 'browser',
  options: z.object({}),
  repeatable: [],
  // As a page load: it takes the same browser.
  cost: () => 10,
  runLimitMs: () => 25_000,
  freshForS: 60,
  waitS: 50,
  refreshFloorS: 60,
  rules: {},
  why: {},
  // Raised when the layout changes.
  rulesVersion: 1,
  reportShape: {},
} satisfies CheckSpec;

/** How long a PDF is kept: it can be made again from the report. */
export const pdfKeptForMs = 24 * 3_600_000;

type Question = Pick<Job, 'jobKey' | 'target' | 'options' | 'host'> & { readonly keyVersion: string };

/** What a job to print this report asks. Its line is its own, as it visits no host. */
export function printQuestion(reportId: string): Question {
  const keyVersion = String(reportPrint.rulesVersion);
  const about = { check: reportPrint.name, target: reportId, options: {} };
  return { ...about, jobKey: makeJobKey({ ...about, keyVersion }), keyVersion, host: reportId };
}
