import type { RedirectVia } from '../../../shared/catalogue/redirect-check/report.ts';
import type { FailureCode, Timings, TlsSight } from '../../probes/http/port.ts';
import type { Refresh } from './refresh.ts';

/** What was seen while walking a chain. JSON; nothing in it is judged. */
export type RedirectEvidence = {
  readonly url: string;
  readonly hops: readonly HopSeen[];
  /** Why the walk stopped after the last hop. */
  readonly stop: Stop;
};

export type Stop =
  | { readonly kind: 'arrived' }
  | { readonly kind: 'loop'; readonly to: string }
  | { readonly kind: 'too-many' }
  | { readonly kind: 'invalid-location' }
  | { readonly kind: 'foreign-scheme'; readonly scheme: string }
  | { readonly kind: 'failure' };

export type HopSeen = {
  /** What was asked; without user information. */
  readonly url: string;
  readonly seen:
    | HopAnswer
    | {
        readonly kind: 'failure';
        readonly code: FailureCode;
        readonly reason: string;
        readonly address: string | null;
      };
  /** Where the walk went on, and by what. */
  readonly next: { readonly url: string; readonly via: RedirectVia } | null;
};

export type HopAnswer = {
  readonly kind: 'response';
  readonly status: number;
  /** Every Location field in order: UTF-8 where it is, else bytes above 0x7f percent-encoded; credentials masked. */
  readonly locations: readonly string[];
  readonly hasCredentials: boolean;
  readonly address: string;
  readonly timings: Timings;
  readonly tls: TlsSight | null;
  /** Strict-Transport-Security fields in order. */
  readonly hsts: readonly string[];
  readonly setsCookies: boolean;
  /** The Refresh field, if it can be read. */
  readonly refresh: Refresh | null;
  /** rel="canonical" of the Link field or the page, resolved. */
  readonly canonical: string | null;
  /** Of an HTML page: its meta refresh, and whether a script sets the address at its top level. */
  readonly page: { readonly refresh: Refresh | null; readonly setsLocation: boolean } | null;
};
