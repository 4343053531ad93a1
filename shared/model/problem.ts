import { z } from 'zod';

/** Every failure that a caller can meet: code → HTTP status, title, and the page at /problems/{code}. */
export const problems = {
  invalid_request: {
    status: 400,
    title: 'The request is not valid',
    help: '`errors` lists each fault with its place and name. Fix them all and send the request again.',
  },
  token_required: {
    status: 401,
    title: 'A token is needed',
    help: 'Send `Authorization: Bearer dtk_…`. Operators make tokens with `diag token create`.',
  },
  unknown_format: {
    status: 400,
    title: 'This export format does not exist',
    help: '`errors` lists the formats, and so does /docs.',
  },
  invalid_token: {
    status: 401,
    title: 'The token is not valid',
    help: 'It is misspelled, unknown, expired or revoked. Ask the operator for a new one.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The token does not allow this',
    help: '`WWW-Authenticate` names the missing scope.',
  },
  cross_site_request: {
    status: 403,
    title: "Another site's page made this request",
    help: 'Pages of other sites get stored reports only. Open the address yourself, send the request from a program, or ask the operator to list your origin in `CORS_ORIGINS` and read the answer with `fetch`.',
  },
  not_found: {
    status: 404,
    title: 'There is nothing at this address',
    help: '/docs lists the endpoints.',
  },
  report_not_found: {
    status: 404,
    title: 'This caller has no such report',
    help: 'The report is unknown or expired, or it was given to another account. Send the GET of the tool again to get a new one.',
  },
  tool_disabled: {
    status: 404,
    title: 'This tool is not switched on here',
    help: 'The operator of this service has to switch it on. `detail` names the setting.',
  },
  report_ids_disabled: {
    status: 404,
    title: 'Reports have no ids here',
    help: 'The operator stores reports only while they are fresh (`REPORT_IDS=off`). Send the GET of the tool instead.',
  },
  job_not_found: {
    status: 404,
    title: 'This job is not known',
    help: 'Jobs are deleted soon after they end. Send the original GET again: you get its report, or it starts the work again.',
  },
  batch_not_found: {
    status: 404,
    title: 'This account has no such batch',
    help: 'The batch is unknown or expired, or it belongs to another account. `GET /api/batches` lists yours.',
  },
  watch_not_found: {
    status: 404,
    title: 'This account has no such watch',
    help: 'The watch is unknown or deleted, or it belongs to another account. `GET /api/watches` lists yours.',
  },
  delivery_not_found: {
    status: 404,
    title: 'This watch has no such delivery',
    help: 'The delivery is unknown, or older than 30 days. `GET /api/watches/{watchId}/deliveries` lists them.',
  },
  method_not_allowed: {
    status: 405,
    title: 'This method is not allowed here',
    help: 'The `Allow` header lists the methods.',
  },
  not_acceptable: {
    status: 406,
    title: 'This endpoint only answers with JSON',
    help: 'Send `Accept: application/json`, or no Accept header.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'The first request with this key is not answered yet',
    help: 'Wait for `Retry-After` seconds and send the same request again: it gets the same resource.',
  },
  body_too_large: {
    status: 413,
    title: 'The body is too large',
    help: '`detail` says how large it may be. Send the content in several requests.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'This type of body is not taken',
    help: 'The `Accept` header of this answer lists the types. Send the body as UTF-8 and without a Content-Encoding.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Another request has this Idempotency-Key',
    help: 'A key stands for one request for 24 hours. Use a new key for a request that differs.',
  },
  watch_too_frequent: {
    status: 422,
    title: 'These re-checks do not fit your limit',
    help: 'All watches of your account together would cost more scans than its limit allows. Watch fewer targets, or less often.',
  },
  target_not_allowed: {
    status: 422,
    title: 'This target is not checked',
    help: 'Private, reserved and special-use names, addresses and ports are refused before anything is sent to the target.',
  },
  rate_limited: {
    status: 429,
    title: 'The limit is used up',
    help: 'Wait for `Retry-After` seconds. Cached reports can still be read when only `scans` are used up. A token raises the limits.',
  },
  quota_exceeded: {
    status: 429,
    title: 'Your account has as many as it may',
    help: '`policy`, `limit` and `used` say of what. Waiting frees nothing: delete what you do not need, or ask the operator for a higher limit. `/api/me` shows all quotas.',
  },
  internal_error: {
    status: 500,
    title: 'A defect in this service',
    help: 'Tell the operator the requestId. The cause is in the log.',
  },
  overloaded: {
    status: 503,
    title: 'Too much work is waiting',
    help: 'Wait for `Retry-After` seconds and send the request again.',
  },
  store_unavailable: {
    status: 503,
    title: 'Reports cannot be read or stored at the moment',
    help: 'Wait for `Retry-After` seconds and send the request again.',
  },
  queue_unavailable: {
    status: 503,
    title: 'This check cannot be started at the moment',
    help: 'Wait for `Retry-After` seconds and ask again. Cached reports can still be read.',
  },
  shutting_down: {
    status: 503,
    title: 'This process is stopping',
    help: 'Send the request again. Another process answers it, or this one after its restart.',
  },
  browser_unavailable: {
    status: 503,
    title: 'This service has no working browser',
    help: 'Only pagespeed-check and PDF exports need one. The other tools and formats work. For the operator, the log and docs/operating.md say how to fix it.',
  },
  not_cached: {
    status: 504,
    title: 'Nothing fresh is stored',
    help: 'The request has only-if-cached. Send it without that to start a check.',
  },
} as const satisfies Record<string, { status: number; title: string; help: string }>;

export type ProblemCode = keyof typeof problems;

/** One fault of a request: where it is, which parameter, and what to change. */
export type InputError = {
  readonly in: 'path' | 'query' | 'header' | 'body';
  /** The name of the parameter; in a body a JSON Pointer ("/targets/3", "" for the whole body). */
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
      .array(
        z.object({ in: z.enum(['path', 'query', 'header', 'body']), name: z.string(), detail: z.string() }),
      )
      .optional(),
    policy: z.string().optional().meta({ description: 'Of a 429: which limit was met.' }),
    limit: z.int().optional().meta({ description: 'Of quota_exceeded: how many there may be.' }),
    used: z.int().optional().meta({ description: 'Of quota_exceeded: how many there are.' }),
    retryAfterSeconds: z.int().optional(),
  })
  .meta({ id: 'Problem', description: 'RFC 9457 problem document.' });

/**
 * A failure that we foresaw: thrown anywhere, answered in one place. `detail` tells the caller what to do next. It never contains a host
 * name, address or stack of ours.
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors: readonly InputError[] | undefined;
  readonly retryAfterS: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The limit that was reached (`rate_limited`, `quota_exceeded`). */
  readonly policy: string | undefined;
  /** For `quota_exceeded`: how many are allowed, and how many there are. */
  readonly quota: { readonly limit: number; readonly used: number } | undefined;

  constructor(
    code: ProblemCode,
    detail: string,
    more: {
      readonly errors?: readonly InputError[];
      readonly retryAfterS?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly cause?: unknown;
      readonly policy?: string;
      readonly quota?: { readonly limit: number; readonly used: number };
    } = {},
  ) {
    // A Problem has no stack: capturing one cost as much as the rest of a refused request. A defect has its own, or is the `cause`.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(`${code}: ${detail}`, { cause: more.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.detail = detail;
    this.errors = more.errors;
    this.retryAfterS = more.retryAfterS;
    this.headers = more.headers ?? {};
    this.policy = more.policy;
    this.quota = more.quota;
  }
}

/** One sentence that names all faults. */
export function describeFaults(faults: readonly InputError[]): string {
  const [first] = faults;
  return faults.length === 1 && first
    ? `${first.name}: ${first.detail}`
    : `There are ${faults.length} faults; each is in \`errors\`.`;
}
