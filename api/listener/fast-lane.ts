import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasBody } from '#shared/lifecycle/connections';
import type { Caller } from '#shared/limits/caller';
import { limitFields } from '#shared/limits/quotas';
import type { Taken } from '#shared/ports/rate-limiter';
import { cacheFields, lastingFields, type ReadyReport } from '../answer/ready-report.ts';
import { type Choice, choose, takesJson } from '../answer/representation.ts';
import { findDeprecation } from '../origins/deprecations.ts';
import { corsFields, hasOneHost } from '../origins/front-door.ts';
import { readPreferences } from '../request/preferences.ts';
import { commonFields, logAnswer, newRequestId } from '../request/request-log.ts';
import { startRequest, traceField } from '../request/trace-request.ts';
import type { Services } from '../services.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Answers a plain repeat of a tool's GET whose report is in memory, and hands everything else to the app. The fields, the quota and the
 * log line are the same on both ways. Batches by repeated GETs live on it.
 */
export function openFastLane(services: Services, app: Listener): Listener {
  return (request, response) => {
    if (!isUsual(request, services) || !answerFromMemory(services, request, response)) app(request, response);
  };
}

function answerFromMemory(services: Services, request: IncomingMessage, response: ServerResponse): boolean {
  const start = performance.now();
  if (!isPlain(request, services)) return false;
  const caller = services.limits.callers.recall(request);
  const found = caller && findAnswer(services, request, caller);
  if (!found) return false;
  // A token that may not, or one that was not given this report before, goes a longer way.
  const isSettled =
    caller.scopes.includes('tools') && (!services.site.reportIds || found.ready.isGivenTo(caller.account));
  if (!isSettled) return false;
  const counted = services.limits.quotas.countRequest(caller);
  // The app counts it again, which spends nothing of a limit that is used up.
  if (counted?.refusal) return false;
  send(services, found, { request, response, start, caller, left: counted?.left });
  return true;
}

/** A report in memory, in the form that this request takes. */
type FastAnswer = {
  readonly ready: ReadyReport;
  readonly choice: Choice;
  /** One byte a character; empty for 304. */
  readonly text: string;
};

function findAnswer(
  services: Services,
  { url = '', headers }: IncomingMessage,
  { account }: Caller,
): FastAnswer | undefined {
  const jobKey = services.readAsk.recallPlain(url, services.site.ownerOf(account));
  if (jobKey === undefined) return undefined;
  const now = Date.now();
  const ready = services.reports.remembered.find(jobKey, { since: now, orFresh: true }, now);
  if (!ready) return undefined;
  const choice = choose(headers, ready);
  if (choice.isKnown) return { ready, choice, text: '' };
  // A content coding is first made on the regular path.
  const text = ready.latin1(choice.coding);
  if (text === undefined) return undefined;
  return { ready, choice, text };
}

type Sending = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly start: number;
  readonly caller: Caller;
  /** Where requests are counted. */
  readonly left: Taken | undefined;
};

function send(services: Services, { ready, choice, text }: FastAnswer, sending: Sending): void {
  const { request, response, caller } = sending;
  const { requestId, span, fields } = begin(services, sending);
  const status = choice.isKnown ? 304 : 200;
  const isPublic = services.site.isOpen && caller.kind === 'anonymous';
  const ofCaches = cacheFields({ ready, via: 'hit', isOwnFreshness: false, isPublic });
  // One by one: this is done for every request, and spreading them costs a microsecond.
  for (const text of lastingFields(ready, choice)) fields.push(text);
  for (const text of ofCaches) fields.push(text);
  if (!choice.isKnown) fields.push('Content-Length', String(text.length));
  response.writeHead(status, fields);
  if (choice.isKnown || request.method === 'HEAD') response.end();
  else response.end(text, 'latin1');
  const { reportId } = ready;
  services.telemetry.metrics?.cacheLookup('hit');
  const answer = { requestId, span, status, route: 'memory', cache: 'hit', reportId };
  logAnswer(services.telemetry, { ...answer, method: request.method ?? 'GET', start: sending.start });
}

/** What every answer of the lane begins with. */
function begin({ telemetry, origins }: Services, { request, start, caller, left }: Sending) {
  const requestId = newRequestId(request);
  const span = telemetry.tracing && startRequest(telemetry.tracing, request, start);
  const fields = ['X-Request-Id', requestId, ...commonFields];
  if (span) fields.push(traceField, span.traceparent);
  if (origins.corsOrigins.length > 0) fields.push(...corsFields(origins.corsOrigins, request.headers.origin));
  if (left) fields.push(...limitFields(caller, left));
  return { requestId, span, fields };
}

/** What the app refuses, or answers in its own way, is not usual. */
function isUsual({ method, headers, rawHeaders }: IncomingMessage, { origins }: Services): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    takesJson(headers.accept) &&
    // Answers to a session must not be cached; the app sets that.
    headers.cookie === undefined &&
    !hasBody(headers) &&
    origins.isKnownHost(headers.host) &&
    hasOneHost(rawHeaders)
  );
}

// Whatever could change the answer goes a longer way. Prefer cannot: it is about waiting.
function isPlain({ headers, url = '' }: IncomingMessage, { origins }: Services): boolean {
  return (
    !asksForFreshness(headers['cache-control']) && findDeprecation(origins.deprecations, url) === undefined
  );
}

function asksForFreshness(cacheControl: string | undefined): boolean {
  if (cacheControl === undefined) return false;
  const { noCache, maxAgeS } = readPreferences(undefined, cacheControl);
  return noCache || maxAgeS !== undefined;
}
