import type { Progress as JobProgress } from './api-types.ts';
import type { Budget } from './budget.ts';
import { readLeft, readPolicies, readRetryAfter } from './limits.ts';
import { DiagnosticsProblem, type ProblemBody, ServerUnreachable } from './problem.ts';
import { BodyTooLarge, readBody, readBytes } from './read-body.ts';
import { isFault, isTooDeep, type Shape } from './shapes.ts';
import { onAbort, wait } from './wait.ts';

/** What happens while an answer is waited for. */
export type Progress =
  /** The limit is used up; nothing is sent for `waitMs`. */
  | { readonly kind: 'paced'; readonly waitMs: number }
  /** The service refused or could not be reached; the request is repeated after `waitMs`. */
  | { readonly kind: 'retry'; readonly status: number | undefined; readonly waitMs: number }
  | { readonly kind: 'waiting'; readonly position: number }
  | ({ readonly kind: 'running' } & JobProgress);

/** A server, and what is known of its limits. */
export type Connection = {
  /** Without a slash at the end, e.g. "https://diag.example". */
  readonly server: string;
  readonly token: string | undefined;
  readonly fetch: typeof fetch;
  readonly budgets: { readonly requests: Budget; readonly scans: Budget };
  /** How long a request is repeated while the service is away or busy. */
  readonly retryForMs: number;
  /** True once the service has answered; before that, an address where nothing answers is more likely wrong than restarting. */
  hasAnswered: boolean;
};

export type Wish = {
  /** GET where left out. */
  readonly method?: 'POST' | 'PATCH' | 'DELETE';
  readonly body?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Points of the `scans` limit that it may cost. */
  readonly points: number;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: Progress) => void) | undefined;
  /** The answer is a file, whose bytes are wanted as they are. */
  readonly isFile?: true;
};

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  /** Empty where the bytes of a file were wanted. */
  readonly text: string;
  readonly bytes?: Uint8Array;
};

/** Longer than the longest `wait` of a server (55 s). */
const exchangeMs = 90_000;
/** How long an address is tried that has never answered. */
const firstContactMs = 5000;
const firstPauseMs = 250;
const longestPauseMs = 15_000;

/**
 * Sends a request, not before the limits allow it, and repeats it while the service is busy, full or away.
 * Rejects with DiagnosticsProblem, with ServerUnreachable, or with the signal's reason.
 */
export async function send(connection: Connection, wish: Wish): Promise<Answer> {
  const startedAt = performance.now();
  for (let attempt = 0; ; attempt++) {
    await waitForTurn(connection, wish);
    const outcome = await tryOnce(connection, wish);
    if ('status' in outcome && outcome.status < 400) return outcome;
    const { error, retryAfterMs } = 'status' in outcome ? refusalOf(outcome) : outcome;
    if (retryAfterMs === undefined) throw error;
    const pauseMs = Math.max(retryAfterMs, pauseOf(attempt));
    const { retryForMs } = connection;
    const patienceMs = connection.hasAnswered ? retryForMs : Math.min(retryForMs, firstContactMs);
    if (performance.now() + pauseMs > startedAt + patienceMs) throw error;
    wish.onProgress?.({
      kind: 'retry',
      status: 'status' in outcome ? outcome.status : undefined,
      waitMs: pauseMs,
    });
    await wait(pauseMs, wish.signal);
  }
}

/**
 * Parses the body of an answer. Rejects what is no JSON of this shape: something else than the service has answered.
 * @param status the only one that such a body may come with
 * @internal so that the types that users install do without the shapes
 */
export function readJson(
  connection: Connection,
  { status, text }: Pick<Answer, 'status' | 'text'>,
  shape: Shape,
  expected = 200,
): unknown {
  if (status !== expected)
    throw notTheService(connection, `It answered ${status} where ${expected} was expected.`);
  if (isTooDeep(text)) throw notTheService(connection, 'Its JSON is nested too deep.');
  const value = parse(connection, text);
  if (!shape(value)) throw notTheService(connection, 'Its JSON has not the fields of this answer.');
  return value;
}

function parse(connection: Connection, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw notTheService(connection, 'It sent no JSON.', cause);
  }
}

/** What is thrown for an answer that is none of this API. */
export function notTheService({ server }: Connection, why: string, cause?: unknown): ServerUnreachable {
  return new ServerUnreachable(`${server} does not answer as this service does. ${why}`, { cause });
}

async function waitForTurn({ budgets }: Connection, { points, signal, onProgress }: Wish): Promise<void> {
  for (;;) {
    const waitMs = Math.max(budgets.requests.waitMs(1), budgets.scans.waitMs(points));
    if (waitMs === 0) break;
    onProgress?.({ kind: 'paced', waitMs });
    await wait(waitMs, signal);
  }
  budgets.requests.spend(1);
  budgets.scans.spend(points);
}

type Failure = { readonly error: Error; readonly retryAfterMs: number | undefined };

function requestOf({ method, body, headers }: Wish, token: string | undefined): RequestInit {
  return {
    ...(method === undefined ? {} : { method }),
    ...(body === undefined ? {} : { body }),
    headers: {
      accept: 'application/json, */*;q=0.5',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    // An answer that leads elsewhere is never followed with the token. No `cache` here: fetch would add Cache-Control: no-cache,
    // which asks the service for a new run each time.
    redirect: 'manual',
  };
}

async function tryOnce(connection: Connection, wish: Wish): Promise<Answer | Failure> {
  const { budgets, server, token } = connection;
  const timeout = new AbortController();
  const timer = setTimeout(
    () => timeout.abort(new Error(`No whole answer within ${exchangeMs} ms.`)),
    exchangeMs,
  );
  const endWait = onAbort(wish.signal, () => timeout.abort(wish.signal?.reason));
  try {
    wish.signal?.throwIfAborted();
    const response = await connection.fetch(`${server}${wish.path}`, {
      ...requestOf(wish, token),
      signal: timeout.signal,
    });
    connection.hasAnswered = true;
    learn(connection, wish, response);
    const { status, headers } = response;
    if (wish.isFile && status === 200) return { status, headers, text: '', bytes: await readBytes(response) };
    return { status, headers, text: await readBody(response) };
  } catch (cause) {
    wish.signal?.throwIfAborted();
    budgets.scans.giveBack(wish.points);
    return failureOf(connection, cause);
  } finally {
    clearTimeout(timer);
    endWait();
  }
}

function failureOf({ server, hasAnswered }: Connection, cause: unknown): Failure {
  // A browser tells its page no reason: once a server has answered, its pages are allowed, and it is away.
  const page = hasAnswered ? undefined : (globalThis as Page).location?.origin;
  const isRefused = page !== undefined && cause instanceof TypeError && new URL(server).origin !== page;
  const why = cause instanceof Error ? describe(cause) : 'unknown';
  const told = isRefused
    ? `is away, or its setting CORS_ORIGINS does not name ${page}.`
    : `cannot be reached, or broke off: ${why}`;
  return {
    error: new ServerUnreachable(`${server} ${told}`, { cause }),
    retryAfterMs: isRefused || cause instanceof BodyTooLarge ? undefined : 0,
  };
}

/** What a browser has, and Node has not. */
type Page = { readonly location?: { readonly origin: string } };

// fetch says "fetch failed", and why in its cause.
function describe(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error;
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}

function learn({ budgets }: Connection, { points }: Wish, { status, headers }: Response): void {
  const isFree =
    status >= 400 || status === 304 || /; (?:hit|collapsed)/.test(headers.get('cache-status') ?? '');
  if (isFree) budgets.scans.giveBack(points);
  const policies = readPolicies(headers.get('ratelimit-policy'));
  const left = readLeft(headers.get('ratelimit'));
  for (const name of ['requests', 'scans'] as const) {
    const limit = policies.get(name);
    const now = left.get(name);
    if (limit) budgets[name].learnLimit(limit);
    if (now) budgets[name].learn(now);
    const retryAfterS = readRetryAfter(headers.get('retry-after'), Date.now());
    if (status === 429 && now?.remaining === 0 && retryAfterS !== undefined) budgets[name].block(retryAfterS);
  }
}

function refusalOf({ status, headers, text }: Answer): Failure {
  const retryAfterS = readRetryAfter(headers.get('retry-after'), Date.now());
  const error = new DiagnosticsProblem(status, readProblem(text), retryAfterS);
  const isPassing =
    error.code === 'idempotency_in_progress' ||
    status === 502 ||
    status === 503 ||
    (status === 504 && error.code !== 'not_cached') ||
    status === 429;
  // A 429 that names no time would be refused for ever.
  const isHopeless = (status === 429 && retryAfterS === undefined) || error.code === 'browser_unavailable';
  return { error, retryAfterMs: isPassing && !isHopeless ? (retryAfterS ?? 0) * 1000 : undefined };
}

function readProblem(text: string): ProblemBody {
  try {
    const body = JSON.parse(text) as unknown;
    return typeof body === 'object' && body !== null ? problemOf(body) : {};
  } catch {
    return {}; // a proxy's page: the status says it all
  }
}

/** The fields of a problem that are what they should be; the others are left out. */
function problemOf(body: object): ProblemBody {
  const sent = body as { readonly [name: string]: unknown };
  const texts = ['code', 'title', 'detail', 'requestId', 'policy'].flatMap((name) =>
    typeof sent[name] === 'string' ? [[name, sent[name]] as const] : [],
  );
  const errors = Array.isArray(sent['errors']) ? { errors: sent['errors'].filter(isFault) } : {};
  return { ...Object.fromEntries(texts), ...errors } as ProblemBody;
}

function pauseOf(attempt: number): number {
  // Spread, so that many clients of a server that is back do not come at one moment.
  return Math.min(longestPauseMs, firstPauseMs * 2 ** attempt) * (0.75 + Math.random() / 2);
}
