import type { Grant } from '../../model/grant.ts';
import { Problem } from '../../model/problem.ts';
import { type Report, reportSchema } from '../../model/report.ts';
import type { StoredReport } from '../../ports/report-store.ts';
import { readInteger, readNumberOrNull, readText, readTextOrNull, type StoredFields } from './fields.ts';

/** A stored report as an object. Throws Problem `report_not_found` for one that fits no schema of ours. */
export function readReport(stored: Pick<StoredReport, 'json'>): Report {
  const json = stored.json();
  const body: unknown = JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString());
  if (reportSchema.safeParse(body).success) return body as Report;
  throw damagedReport();
}

/** What a caller is told of a stored report that is none. */
export function damagedReport(cause?: unknown): Problem {
  const detail = 'The stored report is damaged. Start its check again with fresh=1.';
  return new Problem('report_not_found', detail, cause === undefined ? {} : { cause });
}

/** The grant of a row. Throws for a row that does not fit. By hand: a schema took as long for a page as the query. */
export function readGrant(row: StoredFields): Grant {
  return {
    reportId: readText(row, 'reportId'),
    check: readText(row, 'check'),
    target: readText(row, 'target'),
    checkedAt: readInteger(row, 'checkedAt'),
    expiresAt: readInteger(row, 'expiresAt'),
    score: readNumberOrNull(row, 'score'),
    grade: readTextOrNull(row, 'grade'),
    state: readText(row, 'state'),
    options: readTextOrNull(row, 'options'),
    rulesVersion: readNumberOrNull(row, 'rulesVersion'),
  };
}
