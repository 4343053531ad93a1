import { setTimeout as delay } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Caller } from '#shared/limits/caller';
import { Problem } from '#shared/model/problem';
import { type Batch, type BatchEnd, targetsOfPart } from '#shared/ports/batch-store';
import type { StoredReport } from '#shared/ports/report-store';
import { csvOfBatch } from '#shared/render/csv';
import { readReport } from '#shared/stores/reports/read-report';
import { giveBack } from '#shared/time/give-back';
import { printProblem } from '../answer/json.ts';
import { drains } from '../request/connections.ts';
import { readParameters } from '../request/pages.ts';
import { readWait } from '../request/read-wait.ts';
import { requestIdOf } from '../request/request-log.ts';
import { findBatch } from './answer-batches.ts';
import type { BatchServices } from './batch-services.ts';
import { problemOf } from './feed/ask-target.ts';

const formats = ['ndjson', 'csv'] as const;
const contentTypes = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
} as const;
/** What `after` may say; the OpenAPI document has the same. */
export const afterText = /^[0-9]{1,9}$/;

/** What `limit` may say, as above. */
export const limitText = /^(?:[1-9][0-9]{0,2}|1000)$/;

const resultParameters = z.object({
  format: z.enum(formats, `Give one of: ${formats.join(', ')}.`).default('ndjson'),
  after: z.string().regex(afterText, 'Give the `cursor` of a line, as it came.').transform(Number).default(0),
  wait: z.string().transform(readWait).default(0),
  limit: z
    .string()
    .regex(limitText, 'Give a whole number from 1 to 1000.')
    .transform(Number)
    .default(Number.POSITIVE_INFINITY),
});

const pageSize = 100;
const lookEveryMs = 500;

/** A target that has ended, as a line of the results. */
type ResultLine = {
  readonly end: BatchEnd;
  readonly target: string;
  readonly stored: StoredReport | undefined;
  /** A problem document; null where there is none. */
  readonly problem: object | null;
};

/** Answers GET /api/batches/{id}/results: a line for each target that has ended, from a cursor on, then closes. `?wait=` holds it until there is one. */
export async function answerResults(
  services: BatchServices,
  caller: Caller,
  request: Request,
  response: Response,
): Promise<void> {
  const { format, after, wait, limit } = readParameters(resultParameters, request);
  const batch = await findBatch(services, caller, String(request.params['batchId']));
  // Who waits holds no stream.
  const leaveWait = wait > 0 ? services.jobs.waits.enter(caller) : undefined;
  if (leaveWait)
    await waitForLine(services, { caller, batch, after, waitS: wait }, response).finally(leaveWait);
  const leave = await services.streams.enter(caller);
  try {
    response.setHeader('Content-Type', contentTypes[format]);
    response.setHeader('Cache-Control', 'private, no-store');
    if (request.method !== 'HEAD') await writeLines(services, { batch, after, format, limit }, response);
    response.end();
  } finally {
    leave();
  }
}

type ResultsWait = {
  readonly caller: Caller;
  readonly batch: Batch;
  readonly after: number;
  readonly waitS: number;
};

async function waitForLine(
  services: BatchServices,
  { caller, batch, after, waitS }: ResultsWait,
  response: Response,
): Promise<void> {
  const until = performance.now() + waitS * 1000;
  const { store } = services.batches;
  let { endedAt } = batch;
  while (endedAt === null && performance.now() < until && !response.closed) {
    if ((await store.listEnds(batch.batchId, after, 1)).length > 0) return;
    await delay(Math.min(lookEveryMs, Math.max(1, until - performance.now())));
    ({ endedAt } = await findBatch(services, caller, batch.batchId));
  }
}

type ResultsQuery = {
  readonly batch: Batch;
  readonly after: number;
  readonly format: (typeof formats)[number];
  readonly limit: number;
};

async function writeLines(
  services: BatchServices,
  { batch, after, format, limit }: ResultsQuery,
  response: Response,
): Promise<void> {
  const requestId = requestIdOf(response);
  let written = 0;
  for await (const line of linesOf(services, batch, after, requestId)) {
    if (response.closed) return;
    const hasRoom = response.write(format === 'csv' ? printRows(line, written === 0) : printLine(line));
    written += 1;
    if (written >= limit) return;
    if (!hasRoom && !(await drains(response))) return void response.destroy();
  }
}

async function* linesOf(
  services: BatchServices,
  batch: Batch,
  after: number,
  requestId: string,
): AsyncGenerator<ResultLine, void, void> {
  const { reports, site } = services;
  const { store } = services.batches;
  const { batchId } = batch;
  const parts = new Map<number, readonly string[]>();
  const targetAt = async (index: number) => {
    const part = Math.floor(index / targetsOfPart);
    const known = parts.get(part) ?? (await store.readTargets(batchId, part));
    parts.set(part, known);
    return known[index % targetsOfPart] ?? '';
  };
  const print = (problem: Problem) =>
    JSON.parse(printProblem(problem, requestId, site.publicPath).text) as object;
  const tell = (end: BatchEnd, target: string) =>
    end.problem === null ? null : print(problemOf(services, batch, end, target));
  for (let last = after; ;) {
    const page = await store.listEnds(batchId, last, pageSize);
    for (const end of page) {
      const stored = end.reportId === null ? undefined : await reports.reportStore.get(end.reportId);
      const target = await targetAt(end.index);
      const problem = end.outcome === 'done' && !stored ? print(reportGone()) : tell(end, target);
      yield { end, target, stored, problem };
      last = end.cursor;
      await giveBack();
    }
    if (page.length < pageSize) return;
  }
}

function reportGone(): Problem {
  return new Problem(
    'report_not_found',
    'The report of this target has expired or was deleted. Ask the tool for a new one.',
  );
}

// The report stands in the line byte for byte as it is stored.
function printLine({ end, target, stored, problem }: ResultLine): string {
  const { index, cursor, outcome } = end;
  const report = stored ? Buffer.from(stored.json()).toString() : 'null';
  const head = JSON.stringify({ index, target, cursor: String(cursor), outcome }).slice(0, -1);
  return `${head},"report":${report},"problem":${JSON.stringify(problem)}}\n`;
}

function printRows({ end, target, stored, problem }: ResultLine, isFirst: boolean): string {
  const { index, cursor, outcome } = end;
  const code = problem && 'code' in problem ? String(problem.code) : '';
  const detail = problem && 'detail' in problem ? String(problem.detail) : '';
  const more = { index, outcome, problem: code, cursor };
  return csvOfBatch(stored ? { report: readReport(stored) } : { target, why: detail }, more, isFirst);
}
