import type { FailureCode } from '#shared/model/failure';

/** Milliseconds, one decimal, adding up to `total`. */
export type Timings = {
  readonly wait: number;
  readonly dns: number;
  readonly tcp: number;
  readonly tls: number;
  readonly ttfb: number;
  readonly download: number;
  readonly total: number;
  readonly reused: boolean;
};

export type HttpRequest = {
  /** Absolute http or https; judged again here. */
  readonly url: string;
  readonly method?: 'GET' | 'HEAD' | 'OPTIONS';
  /** Beside Host, User-Agent, Accept and Accept-Encoding, which it may replace. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How much decoded body to keep; the rest is not read. 0 reads none. At most 2 MB. */
  readonly bodyLimitBytes: number;
  /** Only over the host's first address of this family; left out, whichever answers first. */
  readonly family?: 4 | 6;
  /** The body of a redirect is read only to keep its connection usable. */
  readonly skipRedirectBody?: boolean;
  /** It may wait for a moment, so that it finds an open connection: for runs in which others take longer. */
  readonly isPatient?: boolean;
  /** An answer that breaks the grammar of HTTP in a way that browsers accept is asked for once more, and read as they do. */
  readonly isLenient?: boolean;
  /** For bodies that are no text: the kept bytes come as they are, and `text` is empty. */
  readonly asBytes?: boolean;
  /** Tells from when to when the certificate of the server is valid. */
  readonly wantsValidity?: boolean;
};

export type HttpBody = {
  /** The decoded bytes that were kept, as text (charset by BOM, Content-Type, else UTF-8). */
  readonly text: string;
  /** The same bytes, where they were asked for. */
  readonly bytes?: Uint8Array;
  readonly wireBytes: number;
  readonly decodedBytes: number;
  /** Why there is not all of it. */
  readonly cut?:
    | 'limit'
    | 'timeout'
    | 'closed-early'
    | 'decompression-bomb'
    | 'too-many-encodings'
    | 'bad-encoding'
    | 'not-read';
};

export type TlsObservation = {
  readonly protocol: string | null;
  /** Chain to Node's bundled roots (and NODE_EXTRA_CA_CERTS) and name both good. */
  readonly trusted: boolean;
  /** OpenSSL's or Node's code when not, e.g. "CERT_HAS_EXPIRED". */
  readonly error: string | null;
  /** The same by the right time, where this machine's clock is known to be wrong. */
  readonly atRightTime?: { readonly trusted: boolean; readonly error: string | null };
  /** Of the server's own certificate, ISO 8601; only where it was asked for. */
  readonly validity?: { readonly notBefore: string; readonly notAfter: string };
};

export type HttpAnswer =
  | {
      readonly kind: 'response';
      readonly url: string;
      readonly status: number;
      readonly statusText: string;
      readonly httpVersion: string;
      /** As sent: order, case and repetitions; each byte one character (latin1). */
      readonly headers: readonly (readonly [name: string, value: string])[];
      readonly body: HttpBody;
      /** What is wrong with the grammar of this answer, which was read all the same; left out where nothing is. */
      readonly malformed?: string;
      readonly address: string;
      readonly tls: TlsObservation | null;
      readonly timings: Timings;
    }
  | {
      readonly kind: 'failure';
      readonly url: string;
      readonly code: FailureCode;
      /** A sentence's end: "the name does not exist". Never an address of a refused target. */
      readonly reason: string;
      readonly address: string | null;
      /** What the parser of HTTP found, where that is why: "HPE_CR_EXPECTED". */
      readonly parserCode?: string;
    };

/** Sends one request and follows nothing. A broken target is an answer; it throws only when the run is aborted, or for a defect. */
export interface HttpProbe {
  ask(request: HttpRequest): Promise<HttpAnswer>;
}
