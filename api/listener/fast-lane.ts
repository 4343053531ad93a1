import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasBody } from '#shared/lifecycle/connections';
import type { Taken } from '#shared/ports/rate-limiter';
import { cacheFields, lastingFields, type ReadyReport } from '../answer/ready-report.ts';
import { type Choice, choose, takesJson } from '../answer/representation.ts';
import type { Desk } from '../desk.ts';
import { limitFields } from '../limits/quotas.ts';
import type { Caller } from '../request/caller.ts';
import { readPreferences } from '../request/preferences.ts';
import { commonFields, logAnswer, newRequestId } from '../request/request-log.ts';
import { startRequest, traceField } from '../request/trace-request.ts';
import { findDeprecation } from './deprecations.ts';
import { corsFields, hasOneHost } from './front-door.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Answers a plain repeat of a tool's GET whose report is in memory, and hands everything else to the app. The fields, the quota and the
 * log line are the same on both ways. Batches by repeated GETs live on it.
 */
export function openFastLane(desk: Desk, app: Listener): Listener {
  return (request, response) => {
    if (!isUsual(request, desk) || !answerFromMemory(desk, request, response)) app(request, response);
  };
}

function answerFromMemory(desk: Desk, request: IncomingMessage, response: ServerResponse): boolean {
  const start = performance.now();
  if (!isPlain(request, desk)) return false;
  const caller = desk.admission.callers.recall(request);
  const found = caller && findAnswer(desk, request, caller);
  if (!found) return false;
  // A token that may not, or one that was not given this report before, goes a longer way.
  const isSettled =
    caller.scopes.includes('tools') && (!desk.site.reportIds || found.ready.isGivenTo(caller.account));
  if (!isSettled) return false;
  const counted = desk.admission.quotas.countRequest(caller);
  // The app counts it again, which spends nothing of a limit that is used up.
  if (counted?.refusal) return false;
  send(desk, found, { request, response, start, caller, left: counted?.left });
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
  desk: Desk,
  { url = '', headers }: IncomingMessage,
  { account }: Caller,
): FastAnswer | undefined {
  const jobKey = desk.readAsk.recallPlain(url, desk.site.ownerOf(account));
  if (jobKey === undefined) return undefined;
  const now = Date.now();
  const ready = desk.shelf.reports.find(jobKey, { since: now, orFresh: true }, now);
  if (!ready) return undefined;
  const choice = choose(headers, ready);
  if (choice.isKnown) return { ready, choice, text: '' };
  // A coding that nobody has asked for yet is made on the long way.
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

function send(desk: Desk, { ready, choice, text }: FastAnswer, sending: Sending): void {
  const { request, response, caller } = sending;
  const { requestId, span, fields } = begin(desk, sending);
  const status = choice.isKnown ? 304 : 200;
  const isPublic = desk.site.isOpen && caller.kind === 'anonymous';
  const ofCaches = cacheFields({ ready, via: 'hit', isOwnFreshness: false, isPublic });
  // One by one: this is done for every request, and spreading them costs a microsecond.
  for (const text of lastingFields(ready, choice)) fields.push(text);
  for (const text of ofCaches) fields.push(text);
  if (!choice.isKnown) fields.push('Content-Length', String(text.length));
  response.writeHead(status, fields);
  if (choice.isKnown || request.method === 'HEAD') response.end();
  else response.end(text, 'latin1');
  const { reportId } = ready;
  desk.witness.metrics?.cacheLookup('hit');
  const answer = { requestId, span, status, route: 'memory', cache: 'hit', reportId };
  logAnswer(desk.witness, { ...answer, method: request.method ?? 'GET', start: sending.start });
}

/** What every answer of the lane begins with. */
function begin({ witness, door }: Desk, { request, start, caller, left }: Sending) {
  const requestId = newRequestId(request);
  const span = witness.tracing && startRequest(witness.tracing, request, start);
  const fields = ['X-Request-Id', requestId, ...commonFields];
  if (span) fields.push(traceField, span.traceparent);
  if (door.corsOrigins.length > 0) fields.push(...corsFields(door.corsOrigins, request.headers.origin));
  if (left) fields.push(...limitFields(caller, left));
  return { requestId, span, fields };
}

/** What the app refuses, or answers in its own way, is not usual. */
function isUsual({ method, headers, rawHeaders }: IncomingMessage, { door }: Desk): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    takesJson(headers.accept) &&
    // What is answered to a session is kept by nobody, which the app sees to.
    headers.cookie === undefined &&
    !hasBody(headers) &&
    door.isKnownHost(headers.host) &&
    hasOneHost(rawHeaders)
  );
}

// Whatever could change the answer goes a longer way. Prefer cannot: it is about waiting.
function isPlain({ headers, url = '' }: IncomingMessage, { door }: Desk): boolean {
  return !asksForFreshness(headers['cache-control']) && findDeprecation(door.deprecations, url) === undefined;
}

function asksForFreshness(cacheControl: string | undefined): boolean {
  if (cacheControl === undefined) return false;
  const { noCache, maxAgeS } = readPreferences(undefined, cacheControl);
  return noCache || maxAgeS !== undefined;
}
