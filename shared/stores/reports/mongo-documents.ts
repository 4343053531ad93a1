import { Binary } from 'mongodb';
import type { Grant } from '../../model/grant.ts';
import type { BlobName, StoredReport } from '../../ports/report-store.ts';
import type { RowReader } from '../stored-row.ts';
import { readGrant } from './read-report.ts';
import { fromRow, type ReportRow } from './row.ts';

/** A report as MongoDB keeps it. Times are dates, so that its TTL index can expire it. */
export type ReportDocument = Omit<
  ReportRow,
  'reportId' | 'body' | 'outline' | 'checkedAt' | 'freshUntil' | 'expiresAt'
> & {
  readonly _id: string;
  readonly checkedAt: Date;
  readonly freshUntil: Date;
  readonly expiresAt: Date;
  readonly body: Binary;
  readonly outline?: Binary;
};

export type BlobDocument = { readonly _id: string; readonly bytes: Binary; readonly expiresAt: Date };

/** A grant as MongoDB keeps it; one of each report and account. */
export type GrantDocument = Omit<Grant, 'checkedAt' | 'expiresAt'> & {
  readonly _id: string;
  readonly account: string;
  readonly checkedAt: Date;
  readonly expiresAt: Date;
};

/** The document of a row. */
export function toDocument({
  reportId,
  body,
  outline,
  checkedAt,
  freshUntil,
  expiresAt,
  ...rest
}: ReportRow): ReportDocument {
  return {
    _id: reportId,
    ...rest,
    checkedAt: dateOf(checkedAt),
    freshUntil: dateOf(freshUntil),
    expiresAt: dateOf(expiresAt),
    body: new Binary(body),
    ...(outline ? { outline: new Binary(outline) } : {}),
  };
}

/** The stored report of a document; undefined where it does not fit the schema. */
export function readDocument(document: ReportDocument, readRow: RowReader): StoredReport | undefined {
  return readRow({ kind: 'report', id: String(document._id) }, () => {
    const { _id: reportId, body, checkedAt, freshUntil, expiresAt, ...rest } = document;
    return fromRow({
      ...rest,
      reportId,
      checkedAt: msOf(checkedAt),
      freshUntil: msOf(freshUntil),
      expiresAt: msOf(expiresAt),
      body: bytesOf(body),
    });
  });
}

/** The grant of a document; undefined where it does not fit the schema. */
export function readGrantDocument(document: GrantDocument, readRow: RowReader): Grant | undefined {
  return readRow({ kind: 'grant', id: String(document._id) }, () =>
    readGrant({
      ...document,
      checkedAt: msOf(document.checkedAt),
      expiresAt: msOf(document.expiresAt),
    }),
  );
}

/** Unix ms of what should be a date; NaN, which is never later than now, where it is none. */
export function msOf(date: unknown): number {
  return date instanceof Date ? date.getTime() : Number.NaN;
}

/** A date of Unix ms; beyond what a date can hold, the last one there is. */
export function dateOf(ms: number): Date {
  return new Date(Math.min(ms, 8.64e15));
}

/** The bytes of what should be a Binary. */
export function bytesOf(binary: unknown): Uint8Array | undefined {
  return binary instanceof Binary ? binary.value() : undefined;
}

/** The `_id` of bytes beside a report. */
export function blobId({ reportId, kind }: BlobName): string {
  return `${reportId} ${kind}`;
}
