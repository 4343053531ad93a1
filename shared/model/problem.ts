import { z } from 'zod';

/** Every failure a caller can meet: code → HTTP status, title, and the page at /problems/{code}. */
export const problems = {
  invalid_request: {
    status: 400,
    title: 'The request is not valid',
    help: 'Each fault is listed in `errors` with its place and name. Mend them all and ask again.',
  },
  token_required: {
    status: 401,
    title: 'A token is needed',
    help: 'Send `Authorization: Bearer dtk_…`. Operators make tokens with `diag token create`.',
  },
  unknown_format: {
    status: 400,
    title: 'There is no such export format',
    help: 'The formats are listed in `errors`, and at /docs.',
  },
  invalid_token: {
    status: 401,
    title: 'The token is not valid',
    help: 'It is mistyped, unknown, expired or revoked. Ask the operator for a new one.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The token may not do this',
    help: 'The scope it lacks is named in `WWW-Authenticate`.',
  },
  not_found: {
    status: 404,
    title: 'There is nothing at this address',
    help: 'The endpoints are listed at /docs.',
  },
  report_not_found: {
    status: 404,
    title: 'There is no such report for this caller',
    help: 'It is unknown, expired, or was given to another account. Repeat the GET of the tool for a new one.',
  },
  report_ids_disabled: {
    status: 404,
    title: 'Reports have no ids here',
    help: 'The operator keeps reports only while they are fresh (`REPORT_IDS=off`). Ask the tools themselves.',
  },
  job_not_found: {
    status: 404,
    title: 'This job is not known',
    help: 'Jobs are forgotten soon after they end. Repeat the original GET: it is answered from the report, or starts the work again.',
  },
  method_not_allowed: {
    status: 405,
    title: 'This method is not allowed here',
    help: 'The `Allow` header lists the methods.',
  },
  not_acceptable: {
    status: 406,
    title: 'Only JSON is given here',
    help: 'Send `Accept: application/json`, or none.',
  },
  target_not_allowed: {
    status: 422,
    title: 'This target is not checked',
    help: 'Private, reserved and special-use names, addresses and ports are refused by their text alone; nothing was sent to the target.',
  },
  rate_limited: {
    status: 429,
    title: 'The limit is used up',
    help: 'Wait for `Retry-After` seconds. Cached reports stay readable when only `scans` are used up. A token raises the limits.',
  },
  internal_error: {
    status: 500,
    title: 'A defect of ours',
    help: 'Tell the operator the requestId; the log has the cause.',
  },
  overloaded: {
    status: 503,
    title: 'Too much work is waiting',
    help: 'Wait for `Retry-After` seconds and ask again.',
  },
  store_unavailable: {
    status: 503,
    title: 'Reports cannot be read or kept just now',
    help: 'Wait for `Retry-After` seconds and ask again.',
  },
  queue_unavailable: {
    status: 503,
    title: 'This check cannot be started just now',
    help: 'Wait for `Retry-After` seconds and ask again; cached reports stay readable.',
  },
  shutting_down: {
    status: 503,
    title: 'This process is stopping',
    help: 'Ask again: another process, or this one restarted, will answer.',
  },
  browser_unavailable: {
    status: 503,
    title: 'There is no browser to load pages with',
    help: 'Only pagespeed-check needs one; the other tools work. The operator finds the fix in the log and in docs/operating.md.',
  },
  not_cached: {
    status: 504,
    title: 'Nothing fresh is stored',
    help: 'The request said only-if-cached. Ask again without it to start a check.',
  },
} as const satisfies Record<string, { status: number; title: string; help: string }>;

export type ProblemCode = keyof typeof problems;

/** One fault of a request: where, which parameter, and what to do about it. */
export type Fault = {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly detail: string;
};

export const problemSchema = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.enum(Object.keys(problems) as [ProblemCode, ...ProblemCode[]]),
    requestId: z.string(),
    errors: z
      .array(z.object({ in: z.enum(['path', 'query', 'header']), name: z.string(), detail: z.string() }))
      .optional(),
    policy: z.string().optional().meta({ description: 'Of a 429: which limit was met.' }),
    retryAfterSeconds: z.int().optional(),
  })
  .meta({ id: 'Problem', description: 'RFC 9457 problem document.' });

/**
 * A failure that we foresaw, thrown anywhere and answered in one place.
 * `detail` tells the caller what to do next; no host name, address or stack of ours.
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors: readonly Fault[] | undefined;
  readonly retryAfterS: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Which limit was met, of a `rate_limited`. */
  readonly policy: string | undefined;

  constructor(
    code: ProblemCode,
    detail: string,
    more: {
      readonly errors?: readonly Fault[];
      readonly retryAfterS?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly cause?: unknown;
      readonly policy?: string;
    } = {},
  ) {
    super(`${code}: ${detail}`, { cause: more.cause });
    this.code = code;
    this.detail = detail;
    this.errors = more.errors;
    this.retryAfterS = more.retryAfterS;
    this.headers = more.headers ?? {};
    this.policy = more.policy;
  }
}
