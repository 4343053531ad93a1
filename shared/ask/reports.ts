import type { Freshness } from '../model/freshness.ts';
import { type Grant, grantOf } from '../model/grant.ts';
import type { StoredReport } from '../ports/report-store.ts';

/** A report that answers, as a process has it. */
export type KnownReport = {
  readonly reportId: string;
  readonly freshUntil: number;
  readonly grant: Grant;
  /** Its JSON. */
  readonly identity: () => Uint8Array;
  /** True when this process knows that the account's grant of it is written. */
  isGivenTo(account: string): boolean;
  noteGiven(account: string): void;
};

/** The reports that a process remembers, in front of the store. */
export type RememberedReports<R extends KnownReport> = {
  find(jobKey: string, freshness: Freshness, nowMs: number): R | undefined;
  keep(stored: StoredReport): R;
};

/** A report of a process that remembers none. */
export type UnkeptReport = KnownReport & { readonly stored: StoredReport };

/** For a process that reads each report once. */
export const rememberNone: RememberedReports<UnkeptReport> = {
  find: () => undefined,
  keep: (stored) => ({
    stored,
    reportId: stored.reportId,
    freshUntil: stored.freshUntil,
    grant: grantOf(stored),
    identity: stored.json,
    isGivenTo: () => false,
    noteGiven: () => undefined,
  }),
};
