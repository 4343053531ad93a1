import type { Request, Response } from 'express';
import { diffReports } from '#shared/catalogue/diff';
import type { Caller } from '#shared/limits/caller';
import { describeFaults, type InputError, Problem } from '#shared/model/problem';
import { readReport } from '#shared/stores/reports/read-report';
import { sendJson } from '../answer/json.ts';
import { readOwnQuery } from '../request/read-query.ts';
import { findReadable, type ReportServices } from './readable.ts';

/** Answers /api/reports/{a}/diff/{b}: what changed from the first report to the second, of one check and target. */
export async function answerDiff(
  { reports }: ReportServices,
  caller: Caller,
  request: Request,
  response: Response,
): Promise<void> {
  readOwnQuery(request, []);
  const [first, second] = await Promise.all(
    (['a', 'b'] as const).map((name) => findReadable(reports, caller, String(request.params[name]))),
  );
  if (!first || !second) throw new Error('two reports were asked for');
  const faults: InputError[] = [];
  for (const fact of ['check', 'target'] as const)
    if (first[fact] !== second[fact])
      faults.push({ in: 'path', name: 'b', detail: `Its ${fact} is another than that of the first report.` });
  if (faults.length > 0) throw new Problem('invalid_request', describeFaults(faults), { errors: faults });
  response.setHeader('Cache-Control', 'private, no-cache');
  sendJson(response, diffReports(readReport(first), readReport(second)));
}
