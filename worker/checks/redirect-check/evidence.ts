import type { HttpBody, Timings, TlsObservation } from '../../probes/http/port.ts';
import type { FamiliesObservation } from '../../web/families.ts';
import type { HeaderLine } from '../../web/fields.ts';
import type { AnswerRefresh } from '../../web/page-refresh.ts';
import type { LocationObservation, Stop, WalkedHop } from '../../web/walk.ts';

/** What was seen while walking a chain. JSON; nothing in it is judged. */
export type RedirectEvidence = {
  readonly url: string;
  /** The host of the first address is on the HSTS preload list; left out by evidence that is older than this field. */
  readonly isPreloaded?: boolean;
  readonly hops: readonly HopObservation[];
  /** Why the walk stopped after the last hop. */
  readonly stop: Stop;
  /** How the first address answers our own User-Agent; left out where the walk used it. */
  readonly asOurs?: FirstAnswer;
  /** The last page over IPv4 and IPv6; left out where no page was reached, and by evidence that is older than this field. */
  readonly families?: FamiliesObservation;
};

/** An answer without its page; the failure's reason where there was none. */
export type FirstAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly location: string | null }
  | { readonly kind: 'failed'; readonly reason: string };

/** A hop of the chain, answered or not. */
export type HopObservation = WalkedHop<HopAnswer>;

export type HopAnswer = {
  readonly kind: 'response';
  readonly status: number;
  /** Every Location field, in order. */
  readonly locations: readonly LocationObservation[];
  readonly address: string;
  readonly timings: Timings;
  readonly tls: TlsObservation | null;
  /** The first Strict-Transport-Security field: browsers read no other (RFC 6797 §8.1). */
  readonly hsts: string | null;
  /** The field's, else the first of the page. */
  readonly refresh: AnswerRefresh | null;
  /** rel="canonical" of the Link field, else of the page, resolved. */
  readonly canonical: string | null;
  /** Of an HTML page, as far as it was read; null for other types, and for a body that was not read. */
  readonly page: {
    readonly setsAddress: boolean;
    readonly scriptTarget?: string | null;
    /** Why its text was not read to its end; left out when it was. */
    readonly cut?: string;
  } | null;
  /** As sent, without credentials and cookie values; left out by evidence that is older than this field. */
  readonly headers?: readonly HeaderLine[];
  /** Signs of a block page in the body; left out by evidence that is older than this field. */
  readonly bodySigns?: readonly string[];
  /** How the answer breaks the grammar of HTTP, where it was read at a second try; left out where it does not. */
  readonly malformed?: string;
  /** Why the body was not read to its end; null when it was. */
  readonly bodyCut: NonNullable<HttpBody['cut']> | null;
};
