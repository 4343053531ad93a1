import type { Freshness } from '../model/freshness.ts';
import type { Grant, HistoryQuestion } from '../model/grant.ts';
import type { Job } from '../model/job.ts';
import type { Problem } from '../model/problem.ts';
import type { Report } from '../model/report.ts';

/** A report as stored: what is searched for, and its JSON exactly as every reader gets it. */
export type StoredReport = {
  readonly reportId: string;
  readonly jobId: string;
  readonly jobKey: string;
  readonly check: string;
  readonly target: string;
  readonly score: number | null;
  readonly grade: string | null;
  readonly state: string;
  /** What it was asked beyond the default (`askedOptions`), and by which rules it was judged; null for a row of an earlier version. */
  readonly options: string | null;
  readonly rulesVersion: number | null;
  /** Made for a caller without a token: every account may read it. */
  readonly isOpen: boolean;
  /** Unix ms, as are all times here. */
  readonly checkedAt: number;
  readonly freshUntil: number;
  readonly expiresAt: number;
  /** Undefined for a row of an earlier version. */
  readonly prepared: PreparedReport | undefined;
  /** The bytes of its JSON; may unpack them anew with each call. Throws Problem `report_not_found` where they do not unpack to a report. */
  readonly json: () => Uint8Array;
};

/**
 * The form in which a report is sent, made once when it is stored: a reader of the store unpacks, checks and hashes nothing.
 * Bytes are in memory of their own, of exactly this length: `byteLength` is all that V8 holds for them. A driver's or an
 * unpacker's larger buffer never leaves the store, so a cache may count them as they are. The same is true of `json()`.
 */
export type PreparedReport = {
  /** The JSON under gzip: every client that takes a coding takes this one. */
  readonly gzip: Uint8Array;
  /** The first 22 characters of the SHA-256 of the JSON, base64url: what tells it from any other. */
  readonly digest: string;
  /** How long the JSON is. */
  readonly jsonBytes: number;
};

/** The ids of a report; its own body has none where the operator has switched ids off. */
export type ReportKeys = {
  readonly reportId: string;
  readonly jobId: string;
  readonly jobKey: string;
  /** Made for a caller without a token: as good as given to one, and no grant has to be written. */
  readonly isAnonymous?: boolean;
  /** What the run was asked; left out where nobody knows. */
  readonly options?: Job['options'];
  /** Its packed outline, where one was made. */
  readonly outline?: Uint8Array;
};

/** What may be kept beside a report; what was seen of a mail host belongs to none. */
export const blobKinds = ['evidence', 'screenshot', 'filmstrip', 'pdf', 'mail-host'] as const;

export type BlobName = { readonly reportId: string; readonly kind: (typeof blobKinds)[number] };

/** Bytes to be kept beside a report until `expiresAt`, Unix ms. */
export type Blob = { readonly name: BlobName; readonly bytes: Uint8Array; readonly expiresAt: number };

/** How full a store is. */
export type StoreUse = { readonly usedBytes: number; readonly limitBytes: number };

export type Question = { readonly jobKey: string; readonly wanted: Freshness };

/**
 * Reports, kept until they expire. No method waits longer than the store's own timeouts, and before them for its turn at one that is slow; an unreachable store rejects with
 * Problem `store_unavailable`. A row that does not fit its schema is absent, and logged once.
 */
export interface ReportStore {
  /** Keeps the report, whose times are those of the clock that all processes share; the first of one reportId wins. Returns what is stored. */
  insert(report: Report, keys: ReportKeys): Promise<StoredReport>;
  /** The newest report that answers each question, by jobKey; those without one are left out. @param nowMs what its times are compared with, where that is not this machine's clock */
  findFresh(questions: readonly Question[], nowMs?: number): Promise<ReadonlyMap<string, StoredReport>>;
  /** @param nowMs as above */
  get(reportId: string, nowMs?: number): Promise<StoredReport | undefined>;
  /** The packed outlines of those of these reports (at most 1000) that have one; not of expired ones. */
  findOutlines(reportIds: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Keeps bytes beside a report until `expiresAt` (Unix ms by that clock); a second write of the same name replaces the first. */
  keepBlob(name: BlobName, bytes: Uint8Array, expiresAt: number): Promise<void>;
  /** Keeps many at once. */
  keepBlobs(blobs: readonly Blob[]): Promise<void>;
  /** In memory of its own, as the bytes of a report are. @param nowMs as above */
  getBlob(name: BlobName, nowMs?: number): Promise<Uint8Array | undefined>;
  readonly grants: Grants;
  /** What every new report would meet now, where the last write told so; undefined while writing works, as far as is known. Asks nobody. */
  fault(): Problem | undefined;
  /** Of the runs that a worker may have at once, the share whose reports it takes in time just now, above 0 and up to 1; left out where it is never slow. */
  runShare?(): number;
  /** How full it is; beyond the limit what would expire first goes first. */
  use(): Promise<StoreUse>;
  /** True where it answers and takes writes, else why not. */
  ping(): Promise<true | string>;
  /** What tells it from another store, where several processes share it; a copy has the same. */
  identity?(): Promise<string>;
  close(): Promise<void>;
}

/** Which account was answered with which report; written once, before the answer, and gone with the report. */
export interface Grants {
  give(account: string, grant: Grant): Promise<void>;
  /** True when the report was given to this account, or to or for an anonymous caller. One look, whatever is true of the id. */
  isGiven(account: string, reportId: string): Promise<boolean>;
  /** Newest first; of two checked at once the greater id. */
  list(question: HistoryQuestion): Promise<Grant[]>;
}
