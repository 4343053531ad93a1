import type { RedirectVia } from '../../../shared/catalogue/redirect-check/report.ts';
import type { FailureCode, HttpBody, Timings, TlsSight } from '../../probes/http/port.ts';

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
  /** The next address is longer than we follow. */
  | { readonly kind: 'location-too-long'; readonly length: number }
  /** The last hop gave no answer. */
  | { readonly kind: 'failure' }
  /** The last hop gave no answer before the time for the whole chain was over. */
  | { readonly kind: 'out-of-time'; readonly afterMs: number };

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
        /** From asking to knowing that no answer comes; left out by evidence that is older than this field. */
        readonly waitedMs?: number;
      };
  /** Where this hop sends the visitor, and by what; the walk went there unless it stopped here. */
  readonly next: { readonly url: string; readonly via: RedirectVia } | null;
};

export type HopAnswer = {
  readonly kind: 'response';
  readonly status: number;
  /** Every Location field, in order. */
  readonly locations: readonly LocationSeen[];
  readonly address: string;
  readonly timings: Timings;
  readonly tls: TlsSight | null;
  /** The first Strict-Transport-Security field: browsers read no other (RFC 6797 §8.1). */
  readonly hsts: string | null;
  /** The one refresh that browsers obey: the field's, else the first of the page. `to` is resolved; "" is the page itself. */
  readonly refresh: {
    readonly via: Exclude<RedirectVia, 'http'>;
    readonly seconds: number;
    readonly to: string;
  } | null;
  /** rel="canonical" of the Link field, else of the page, resolved. */
  readonly canonical: string | null;
  /** Of an HTML page, as far as it was read; null for other types, and for a body that was not read. */
  readonly page: { readonly setsAddress: boolean } | null;
  /** Why the body was not read to its end; null when it was. */
  readonly bodyCut: NonNullable<HttpBody['cut']> | null;
};

export type LocationSeen = {
  /** UTF-8 where it is, else bytes above 0x7f percent-encoded; credentials hidden; cut where it is very long. */
  readonly text: string;
  readonly isUtf8: boolean;
  readonly hasCredentials: boolean;
};
