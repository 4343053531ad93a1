import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Report } from '../model/report.ts';
import type { ReportKeys, StoredReport } from './port.ts';

/** What every adapter keeps of a report. Times are Unix ms; `body` is its JSON under zstd level 3. */
export type ReportRow = Omit<StoredReport, 'json'> & {
  readonly body: Uint8Array;
};

/** The row of a report. */
export function toRow(
  report: Report,
  { reportId, jobId, jobKey, isAnonymous = false }: ReportKeys,
): ReportRow & { readonly json: Uint8Array } {
  const json = Buffer.from(JSON.stringify(report));
  return {
    reportId,
    jobId,
    jobKey,
    check: report.check,
    target: targetOf(report),
    score: report.score,
    grade: report.grade,
    state: report.state,
    isOpen: isAnonymous,
    checkedAt: Date.parse(report.checkedAt),
    freshUntil: Date.parse(report.freshUntil),
    expiresAt: Date.parse(report.expiresAt),
    body: zstdCompressSync(json),
    json,
  };
}

/** The stored report of a row. */
export function fromRow({ body, ...rest }: ReportRow): StoredReport {
  return { ...rest, json: zstdDecompressSync(body) };
}

function targetOf({ target }: Report): string {
  const name = target['domain'] ?? target['url'];
  return typeof name === 'string' ? name : '';
}
