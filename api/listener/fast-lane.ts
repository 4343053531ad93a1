import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Taken } from '../../shared/rate-limiter/port.ts';
import { reportFields } from '../answer/report-answer.ts';
import type { ReadyReport } from '../answer/report-cache.ts';
import { chooseCoding } from '../answer/representation.ts';
import type { Desk } from '../desk.ts';
import { limitItem, policyItems } from '../limits/quotas.ts';
import type { Caller } from '../request/caller.ts';
import { commonFields, logAnswer, newRequestId } from '../request/request-log.ts';
import { findDeprecation } from './deprecations.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Answers plain repeats of a GET whose report is in memory, and hands everything else to the app: the same fields,
 * quota and log line, without a router on the way. Batches live on these: Express alone would cost more than all the rest.
 */
export function openFastLane(desk: Desk, app: Listener): Listener {
  return (request, response) => {
    const start = performance.now();
    const ready = isPlain(request, desk) ? findReady(desk, request.url ?? '') : undefined;
    const condition = request.headers['if-none-match'];
    const isUsual = condition === undefined || condition === ready?.etags.identity;
    if (!ready || !isUsual) return app(request, response);
    const caller = desk.admission.callers.recall(request);
    // A token that may not, or one that was not given this report before, goes the long way.
    const isSettled =
      caller?.scopes.includes('tools') && (!desk.site.reportIds || ready.isGivenTo(caller.account));
    if (!caller || !isSettled) return app(request, response);
    desk.admission.quotas.countRequest(caller).then(
      // The app writes the refusal; refused points cost nothing, so it is refused there once more.
      (spent) =>
        spent?.refusal
          ? app(request, response)
          : send(desk, ready, {
              request,
              response,
              start,
              caller,
              limits: spent ? limitFields(caller, spent.left) : [],
            }),
      (error: unknown) => {
        desk.witness.log.error({ err: error }, 'request not counted');
        app(request, response);
      },
    );
  };
}

type Sending = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly start: number;
  readonly caller: Caller;
  readonly limits: readonly string[];
};

function send(desk: Desk, ready: ReadyReport, { request, response, start, caller, limits }: Sending): void {
  const requestId = newRequestId(request);
  const fields = reportFields({
    ready,
    via: 'hit',
    isOwnFreshness: false,
    isPublic: desk.site.isOpen && caller.kind === 'anonymous',
  });
  const isKnown = request.headers['if-none-match'] !== undefined;
  const body = isKnown
    ? []
    : ['Content-Type', ready.contentType, 'Content-Length', String(ready.identity.length)];
  response.writeHead(isKnown ? 304 : 200, [
    'X-Request-Id',
    requestId,
    ...commonFields,
    ...limits,
    'ETag',
    ready.etags.identity,
    ...fields,
    ...body,
  ]);
  if (isKnown) response.end();
  else response.end(ready.latin1(), 'latin1');
  desk.witness.metrics?.cacheLookup('hit');
  logAnswer(desk.witness, {
    requestId,
    method: 'GET',
    route: 'memory',
    status: isKnown ? 304 : 200,
    start,
    cache: 'hit',
    reportId: ready.reportId,
  });
}

function limitFields({ quotas }: Caller, taken: Taken): string[] {
  return ['RateLimit-Policy', policyItems(quotas), 'RateLimit', limitItem(quotas.requests, taken)];
}

function findReady(desk: Desk, url: string): ReadyReport | undefined {
  const jobKey = desk.readAsk.recallPlain(url);
  if (jobKey === undefined) return undefined;
  const now = Date.now();
  return desk.shelf.reports.find(jobKey, { since: now, orFresh: true }, now);
}

// Whatever could change the answer goes the long way.
function isPlain({ method, headers, url = '' }: IncomingMessage, desk: Desk): boolean {
  const { accept } = headers;
  return (
    method === 'GET' &&
    (accept === undefined || accept === '*/*' || accept === 'application/json') &&
    headers['prefer'] === undefined &&
    headers['cache-control'] === undefined &&
    headers.origin === undefined &&
    headers['x-forwarded-for'] === undefined &&
    chooseCoding(headers['accept-encoding'], Number.POSITIVE_INFINITY) === 'identity' &&
    desk.door.isKnownHost(headers.host) &&
    findDeprecation(desk.door.deprecations, url) === undefined
  );
}
