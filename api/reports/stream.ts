import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Caller } from '#shared/limits/caller';
import type { Grant } from '#shared/model/grant';
import type { ReportStore, StoredReport } from '#shared/ports/report-store';
import { renderReport } from '#shared/render/formats';
import { readReport } from '#shared/stores/reports/read-report';
import type { TargetPolicy } from '#shared/targets/parse-target';
import { giveBack } from '#shared/time/give-back';
import { drains } from '../request/connections.ts';
import { readParameters } from '../request/pages.ts';
import { rawQueryOf } from '../request/read-query.ts';
import { filterShape } from './history.ts';
import type { ReportServices } from './readable.ts';

const formats = {
  ndjson: { contentType: 'application/x-ndjson; charset=utf-8', print: printLine },
  csv: { contentType: 'text/csv; charset=utf-8; header=present', print: printRows },
} as const;
const formatNames = ['ndjson', 'csv'] as const;

const pageSize = 100;
const firstId = '0'.repeat(32);

/** True for a request that wants whole reports in place of a page of the list. */
export function wantsStream(request: Request): boolean {
  return new URLSearchParams(rawQueryOf(request)).has('format');
}

/** Answers /api/reports?format=: the whole reports of the caller's account, newest first, one after the other. What breaks off was not all. */
export async function answerStream(
  { reports, streams, targetPolicy }: ReportServices,
  caller: Caller,
  request: Request,
  response: Response,
): Promise<void> {
  const wanted = readParameters(streamParameters(targetPolicy), request);
  const { contentType, print } = formats[wanted.format];
  const leave = await streams.enter(caller);
  try {
    response.setHeader('Content-Type', contentType);
    response.setHeader('Cache-Control', 'private, no-store');
    if (request.method !== 'HEAD')
      await writeAll(response, reportsOf(reports.reportStore, caller, wanted), print);
    response.end();
  } finally {
    leave();
  }
}

type StreamQuery = z.infer<ReturnType<typeof streamParameters>>;

const timeFault = 'Give a date or a time in UTC, such as 2026-11-21 or 2026-11-21T03:00:00Z.';

const day =
  '(?:(?:[0-9]{2}(?:[2468][048]|[13579][26]|0[48])|(?:[02468][048]|[13579][26])00)-02-29|[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8])))';
const clock = 'T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]+)?Z';
/** What `since` and `until` may say: a day that the calendar has, or a time of it in UTC; the OpenAPI document has the same. */
export const momentText = new RegExp(`^${day}(?:${clock})?$`);

function streamParameters(policy: TargetPolicy) {
  const moment = z
    .string()
    .regex(momentText, timeFault)
    .transform((text) => Date.parse(text))
    .optional();
  return z.object({
    ...filterShape(policy),
    format: z.enum(formatNames, `Give one of: ${formatNames.join(', ')}.`),
    since: moment,
    until: moment,
  });
}

async function* reportsOf(
  { grants, get }: Pick<ReportStore, 'grants' | 'get'>,
  { account }: Caller,
  { target, check, since = 0, until }: StreamQuery,
): AsyncGenerator<StoredReport, void, void> {
  let before: Pick<Grant, 'checkedAt' | 'reportId'> | undefined =
    until === undefined ? undefined : { checkedAt: until, reportId: firstId };
  for (;;) {
    const page: readonly Grant[] = await grants.list({ account, target, check, limit: pageSize, before });
    for (const { reportId, checkedAt } of page) {
      if (checkedAt < since) return;
      const stored = await get(reportId);
      // It may have expired since it was listed.
      if (stored) yield stored;
      // A store that answers at once does not give the loop back.
      await giveBack();
    }
    before = page.at(-1);
    if (page.length < pageSize) return;
  }
}

async function writeAll(
  response: Response,
  reports: AsyncIterable<StoredReport>,
  print: (report: StoredReport, isFirst: boolean) => string,
): Promise<void> {
  let isFirst = true;
  for await (const stored of reports) {
    if (response.closed) return;
    const hasRoom = response.write(print(stored, isFirst));
    isFirst = false;
    if (!hasRoom && !(await drains(response))) return void response.destroy();
  }
}

function printLine(stored: StoredReport): string {
  const json = stored.json();
  return `${Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString()}\n`;
}

// The head of the first report stands for all.
function printRows(stored: StoredReport, isFirst: boolean): string {
  const { text } = renderReport(readReport(stored), 'csv');
  return isFirst ? text : text.slice(text.indexOf('\r\n') + 2);
}
