/** What the service says of a failure (RFC 9457), as an error. `code` is stable; the pages at /problems/{code} explain each. */
export class DiagnosticsProblem extends Error {
  override readonly name = 'DiagnosticsProblem';
  readonly code: string;
  readonly status: number;
  readonly requestId: string | undefined;
  /** Every fault of a request that was not valid. */
  readonly errors: readonly { readonly in: string; readonly name: string; readonly detail: string }[];
  /** Seconds after which the service wants to be asked again; undefined where no wait helps. */
  readonly retryAfterS: number | undefined;
  /** Of a 429: which limit was met (`requests`, `scans`, `writes`, `host`, `browser`, `streams`), or which quota (`kept` …). */
  readonly policy: string | undefined;

  constructor(status: number, body: ProblemBody, retryAfterS: number | undefined) {
    super(body.detail ?? body.title ?? `The server answered ${status}.`);
    this.code = body.code ?? 'unknown';
    this.status = status;
    this.requestId = body.requestId;
    this.errors = body.errors ?? [];
    this.retryAfterS = retryAfterS;
    this.policy = body.policy;
  }
}

/** The fields of a problem document that are read; a proxy on the way may have sent something else. */
export type ProblemBody = {
  readonly code?: string;
  readonly title?: string;
  readonly detail?: string;
  readonly requestId?: string;
  readonly policy?: string;
  readonly errors?: readonly { readonly in: string; readonly name: string; readonly detail: string }[];
};

/** The server could not be reached, broke the connection, or sent something that is no answer of this API, as often as it was asked. */
export class ServerUnreachable extends Error {
  override readonly name = 'ServerUnreachable';
}
