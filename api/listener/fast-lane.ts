import type { IncomingMessage, ServerResponse } from 'node:http';
import { catalogue } from '#shared/catalogue/registry';
import { hasBody } from '#shared/lifecycle/connections';
import type { Problem } from '#shared/model/problem';
import type { Taken } from '#shared/ports/rate-limiter';
import { writeOwnHead } from '../answer/head.ts';
import { takesJson } from '../answer/negotiation.ts';
import { countProblem, printProblem } from '../answer/problem-answer.ts';
import { reportFields } from '../answer/report-answer.ts';
import type { ReadyReport } from '../answer/report-cache.ts';
import { type Choice, choose, representationFields } from '../answer/representation.ts';
import type { Desk } from '../desk.ts';
import { limitFields, refuseRequest } from '../limits/quotas.ts';
import type { Caller } from '../request/caller.ts';
import { readPreferences } from '../request/preferences.ts';
import { commonFields, logAnswer, newRequestId } from '../request/request-log.ts';
import { startRequest, traceField } from '../request/trace-request.ts';
import { toolPattern } from '../tools/tool-pattern.ts';
import { findDeprecation } from './deprecations.ts';
import { openDirectRoutes } from './direct-routes.ts';
import { corsFields, hasOneHost } from './front-door.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Answers tools and jobs without a router on the way, and of these plain repeats whose report is in memory without anything else on
 * the way; hands everything else to the app. The fields, the quota and the log line are the same on each way. Batches live on these.
 */
export function openFastLane(desk: Desk, app: Listener): Listener {
  const answerDirectly = openDirectRoutes(desk);
  return (request, response) => {
    const start = performance.now();
    const isAnswered =
      isUsual(request, desk) &&
      (answerFromMemory(desk, request, response, start) || answerDirectly(request, response));
    if (!isAnswered) app(request, response);
  };
}

function answerFromMemory(
  desk: Desk,
  request: IncomingMessage,
  response: ServerResponse,
  start: number,
): boolean {
  if (!isPlain(request, desk)) return false;
  const caller = desk.admission.callers.recall(request);
  const found = caller && findAnswer(desk, request, caller);
  if (!found) return false;
  // A token that may not, or one that was not given this report before, goes a longer way.
  const isSettled =
    caller.scopes.includes('tools') && (!desk.site.reportIds || found.ready.isGivenTo(caller.account));
  if (!isSettled) return false;
  const counted = desk.admission.quotas.countRequest(caller);
  const sending = { request, response, start, caller, left: counted?.left };
  if (counted?.refusal) sendRefusal(desk, found, sending, refuseRequest(counted.refusal, caller));
  else send(desk, found, sending);
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
  const blocks = [
    ...fields,
    representationFields(ready, choice),
    reportFields({ ready, via: 'hit', isOwnFreshness: false, isPublic }),
  ];
  writeOwnHead(response, status, blocks, choice.isKnown ? undefined : text.length);
  if (choice.isKnown || request.method === 'HEAD') response.end();
  else response.end(text, 'latin1');
  const { reportId } = ready;
  desk.witness.metrics?.cacheLookup('hit');
  const answer = { requestId, span, status, route: 'memory', cache: 'hit', reportId };
  logAnswer(desk.witness, { ...answer, method: request.method ?? 'GET', start: sending.start });
}

/** Patterns of the tools, for log and metrics: a refusal is counted where the app would have counted it. */
const patterns = new Map<string, string>(catalogue.map((spec) => [spec.name, toolPattern(spec)]));

function sendRefusal(desk: Desk, { ready }: FastAnswer, sending: Sending, problem: Problem): void {
  const { request, response } = sending;
  const { requestId, span, fields } = begin(desk, sending);
  const printed = printProblem(problem, requestId, desk.site.publicPath);
  writeOwnHead(response, printed.status, [...fields, printed.fields], Buffer.byteLength(printed.text));
  response.end(request.method === 'HEAD' ? undefined : printed.text);
  countProblem(desk.witness.metrics, problem);
  const route = patterns.get(ready.grant.check) ?? '-';
  const answer = { requestId, span, status: printed.status, route, cache: undefined, problem: problem.code };
  logAnswer(desk.witness, { ...answer, method: request.method ?? 'GET', start: sending.start });
}

/** What every answer of the lane begins with. */
function begin({ witness, door }: Desk, { request, start, caller, left }: Sending) {
  const requestId = newRequestId(request);
  const span = witness.tracing && startRequest(witness.tracing, request, start);
  const fields = [
    span ? ['X-Request-Id', requestId, traceField, span.traceparent] : ['X-Request-Id', requestId],
    commonFields,
    corsFields(door.corsOrigins, request.headers.origin),
    left ? limitFields(caller, left) : noFields,
  ];
  return { requestId, span, fields };
}

const noFields: readonly string[] = [];

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
