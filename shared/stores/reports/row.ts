import { hash } from 'node:crypto';
import { crc32, gunzipSync, gzipSync, zstdDecompressSync } from 'node:zlib';
import { z } from 'zod';
import { askedOptions } from '../../catalogue/asked-options.ts';
import { type Report, reportStates } from '../../model/report.ts';
import { gradeNames } from '../../model/score.ts';
import type { PreparedReport, ReportKeys, StoredReport } from '../../ports/report-store.ts';
import {
  type StoredFields,
  readId,
  readInteger,
  readNumberOrNull,
  readOneOf,
  readText,
  readTextOrNull,
  refuse,
} from './fields.ts';
import { damagedReport } from './read-report.ts';

/** What every adapter keeps of a report. Times are Unix ms. */
export type ReportRow = Omit<StoredReport, 'json' | 'prepared'> &
  Pick<PreparedReport, 'digest' | 'jsonBytes'> & {
    /** The JSON under gzip. Rows of earlier versions have it under zstd, and none of the fields that tell of it. */
    readonly body: Uint8Array;
    /** CRC-32 of the body: what was damaged is found without unpacking it. */
    readonly bodyCrc: number;
    readonly outline: Uint8Array | null;
  };

/** Of the levels that make a body smaller than zstd's usual one does, the cheapest (`npm run bench store` has what an insert costs). */
const gzipLevel = 4;

/** No report of ours is as large; a foreign body may unpack to anything. */
const unpackedLimitBytes = 4_194_304;

// Enough to hand the bytes on. Each finding is judged where a report is read as an object: for all of them that costs as much
// as the rest of an answer from the store, five times over.
const bodySchema = z.looseObject({
  schemaVersion: z.int(),
  check: z.string(),
  state: z.enum(reportStates),
  findings: z.array(z.unknown()),
});

/** The row of a report, and its JSON. */
export function toRow(
  report: Report,
  { reportId, jobId, jobKey, isAnonymous = false, options, outline }: ReportKeys,
): { readonly row: ReportRow; readonly json: Uint8Array } {
  const json = new TextEncoder().encode(JSON.stringify(report));
  const body = exactly(gzipSync(json, { level: gzipLevel }));
  const row = {
    reportId,
    jobId,
    jobKey,
    check: report.check,
    target: targetOf(report),
    score: report.score,
    grade: report.grade,
    state: report.state,
    options: options === undefined ? null : askedOptions(report.check, options),
    rulesVersion: report.rulesVersion,
    isOpen: isAnonymous,
    checkedAt: Date.parse(report.checkedAt),
    freshUntil: Date.parse(report.freshUntil),
    expiresAt: Date.parse(report.expiresAt),
    body,
    digest: digestOf(json),
    jsonBytes: json.byteLength,
    bodyCrc: crc32(body),
    outline: outline ?? null,
  };
  return { row, json };
}

/** The stored report of a row that was just made. @param json of the report */
export function storedOf(row: ReportRow, json: () => Uint8Array): StoredReport {
  const { body, digest, jsonBytes, bodyCrc: _bodyCrc, outline: _outline, ...rest } = row;
  return { ...rest, prepared: { gzip: body, digest, jsonBytes }, json };
}

/** The stored report of a row. Throws for a row that does not fit, or whose body is not what was stored. */
export function fromRow(row: StoredFields): StoredReport {
  const rest = {
    reportId: readId(row, 'reportId'),
    jobId: readId(row, 'jobId'),
    jobKey: readId(row, 'jobKey'),
    check: readText(row, 'check'),
    target: readText(row, 'target'),
    score: readNumberOrNull(row, 'score'),
    grade: row['grade'] === null ? null : readOneOf(row, 'grade', gradeNames),
    state: readOneOf(row, 'state', reportStates),
    options: readTextOrNull(row, 'options'),
    rulesVersion: readNumberOrNull(row, 'rulesVersion'),
    isOpen: typeof row['isOpen'] === 'boolean' ? row['isOpen'] : refuse('isOpen'),
    checkedAt: readInteger(row, 'checkedAt'),
    freshUntil: readInteger(row, 'freshUntil'),
    expiresAt: readInteger(row, 'expiresAt'),
  };
  const body = row['body'] instanceof Uint8Array ? row['body'] : refuse('body');
  // A row of an earlier version.
  if (row['digest'] == null) return { ...rest, ...readEarlierBody(body) };
  if (crc32(body) !== row['bodyCrc']) refuse('body');
  const prepared = { gzip: exactly(body), digest: readDigest(row), jsonBytes: readJsonBytes(row) };
  return { ...rest, prepared, json: () => unpackPrepared(prepared) };
}

// It becomes part of a header field, where other characters could begin another.
function readDigest(row: StoredFields): string {
  const digest = readText(row, 'digest');
  return /^[\w-]{22}$/.test(digest) ? digest : refuse('digest');
}

function readJsonBytes(row: StoredFields): number {
  const jsonBytes = readInteger(row, 'jsonBytes');
  return jsonBytes > 1 && jsonBytes <= unpackedLimitBytes ? jsonBytes : refuse('jsonBytes');
}

/** The JSON of a prepared report. Throws Problem `report_not_found` where it does not unpack to what was stored. */
export function unpackPrepared({ gzip, jsonBytes }: PreparedReport): Uint8Array<ArrayBuffer> {
  try {
    // All in one chunk, with a byte to spare: zlib asks for another chunk where one is full.
    const json = gunzipSync(gzip, { maxOutputLength: jsonBytes, chunkSize: Math.max(64, jsonBytes + 1) });
    if (json.byteLength === jsonBytes) return exactly(json);
  } catch (error) {
    throw damagedReport(error);
  }
  throw damagedReport();
}

/** What tells bytes from any others, in an ETag too. */
export function digestOf(json: Uint8Array): string {
  return hash('sha256', json, 'base64url').slice(0, 22);
}

/** The same bytes in memory of their own: a report of 2 kB in a cache would else hold all of the buffer that a driver or an unpacker wrote to. */
export function exactly(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  const isExact = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return isExact ? new Uint8Array(buffer) : new Uint8Array(bytes);
}

// Judged at once: there is nothing else that tells a damaged body.
function readEarlierBody(body: Uint8Array): Pick<StoredReport, 'prepared' | 'json'> {
  const json = exactly(zstdDecompressSync(body, { maxOutputLength: unpackedLimitBytes }));
  bodySchema.parse(JSON.parse(Buffer.from(json.buffer).toString()));
  return { prepared: undefined, json: () => json };
}

function targetOf({ target }: Report): string {
  const name = target['domain'] ?? target['url'];
  return typeof name === 'string' ? name : '';
}
