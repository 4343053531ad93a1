import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { z } from 'zod';
import { type Report, reportStates } from '../model/report.ts';
import { gradeNames } from '../model/score.ts';
import type { ReportKeys, StoredReport } from './port.ts';

/** What every adapter keeps of a report. Times are Unix ms; `body` is its JSON under zstd level 3. */
export type ReportRow = Omit<StoredReport, 'json'> & {
  readonly body: Uint8Array;
};

const id = z.string().min(1).max(64);

/** A row as it must come out of a store, which others may have written to. */
const rowSchema = z.object({
  reportId: id,
  jobId: id,
  jobKey: id,
  check: z.string(),
  target: z.string(),
  score: z.number().nullable(),
  grade: z.enum(gradeNames).nullable(),
  state: z.enum(reportStates),
  isOpen: z.boolean(),
  checkedAt: z.int(),
  freshUntil: z.int(),
  expiresAt: z.int(),
  body: z.instanceof(Uint8Array),
});

// Enough to hand the bytes on. Each finding is judged where a report is read as an object: for all of them that costs as much
// as the rest of an answer from the store, five times over.
const bodySchema = z.looseObject({
  schemaVersion: z.int(),
  check: z.string(),
  state: z.enum(reportStates),
  findings: z.array(z.unknown()),
});

/** No report of ours is as large; a foreign body may unpack to anything. */
const unpackedLimitBytes = 4_194_304;

/** The row of a report. */
export function toRow(
  report: Report,
  { reportId, jobId, jobKey, isAnonymous = false }: ReportKeys,
): ReportRow & { readonly json: Uint8Array } {
  const json = new TextEncoder().encode(JSON.stringify(report));
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

/** The stored report of a row. Throws for a row that fits no schema of ours, or whose body is no report. */
export function fromRow(row: unknown): StoredReport {
  const { body, ...rest } = rowSchema.parse(row);
  const json = exactCopy(zstdDecompressSync(body, { maxOutputLength: unpackedLimitBytes }));
  bodySchema.parse(JSON.parse(Buffer.from(json.buffer).toString()));
  return { ...rest, json };
}

/**
 * The same bytes in memory of their own. Node unpacks into 64 KiB whatever the size, and drivers hand out parts of what they
 * received: a report of 2 kB in a cache would hold all of that.
 */
export function exactCopy(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}

function targetOf({ target }: Report): string {
  const name = target['domain'] ?? target['url'];
  return typeof name === 'string' ? name : '';
}
