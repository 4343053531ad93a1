import type { IncomingMessage } from 'node:http';
import type { ProblemCode } from '#shared/model/problem';
import type { Span, Tracing } from '#shared/ports/tracing';

/** The field of an answer that names its span (W3C Trace Context, level 2), for callers that report a problem. */
export const traceField = 'traceresponse';

/**
 * Begins the span of a request. A caller's own traceparent is only linked: who could choose our trace ids could join foreign requests
 * and decide what is sampled. Behind a gateway of the operator's (TRACE_INCOMING) its trace goes on.
 */
export function startRequest(
  tracing: Tracing,
  { headers, method = 'GET', httpVersion }: IncomingMessage,
  startedAt: number,
): Span {
  const { traceparent } = headers;
  const given = typeof traceparent === 'string' ? traceparent : undefined;
  return tracing.start({
    name: method,
    kind: 'server',
    ...(tracing.takesIncoming ? { parent: given } : { link: given }),
    startedAt,
    attributes: { 'http.request.method': method, 'network.protocol.version': httpVersion },
  });
}

/** Ends it with what the request's log line says: never the address itself, in which targets stand. */
export function endRequest(span: Span, answered: Omit<AnsweredRequest, 'start' | 'span'>): void {
  const { method, route, status, cache, requestId, jobId, reportId, problem } = answered;
  span.rename(`${method} ${route}`);
  span.set({
    'http.route': route,
    'http.response.status_code': status,
    'diag.request.id': requestId,
    'diag.cache': typeof cache === 'string' ? cache : undefined,
    'diag.job.id': jobId,
    'diag.report.id': reportId,
    'diag.problem': problem,
  });
  span.end(status >= 500 ? String(status) : undefined);
}

/** What an answer is about, for its log line. */
export type Subject = {
  /** The job that the request started, joined or asked for. */
  readonly jobId?: string;
  readonly reportId?: string;
  /** The code of the Problem that was the answer. */
  readonly problem?: ProblemCode;
};

/** A request and its answer, for its log line and its span. */
export type AnsweredRequest = Subject & {
  /** Its span, where requests are traced. */
  readonly span: Span | undefined;
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly start: number;
  readonly cache: unknown;
};
