import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import type { Tracing } from '#shared/ports/tracing';
import type { Logger } from '#shared/telemetry/logger';
import type { Metrics } from '#shared/telemetry/metrics';
import { traceFields } from '#shared/telemetry/tracing/traceparent';
import { type AnsweredRequest, endRequest, startRequest, type Subject, traceField } from './trace-request.ts';

/** The fields that every answer carries. */
export const commonFields: readonly string[] = [
  'X-Content-Type-Options',
  'nosniff',
  'Vary',
  'Accept, Accept-Encoding, Authorization',
];

const ofThisProcess = randomBytes(9).toString('base64url');
let requests = 0;

/** The caller's own X-Request-Id if it is a plain one, else one that no other request has: drawn by the process, and counted in it. */
export function newRequestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  if (typeof given === 'string' && /^[\w.-]{1,64}$/.test(given)) return given;
  requests += 1;
  return `${ofThisProcess}.${requests}`;
}

/** Adds to what the log line of this answer tells. */
export function noteSubject(response: Response, subject: Subject): void {
  Object.assign(response.locals, subject);
}

/** What hears of every request. */
export type Telemetry = {
  readonly log: Logger;
  readonly metrics: Metrics | undefined;
  readonly tracing: Tracing | undefined;
};

/** The one line of a request. Never headers or whole URLs: targets may carry secrets. */
export function logAnswer({ log, metrics }: Telemetry, answered: AnsweredRequest): void {
  const { start, span, requestId, method, route, status, cache, jobId, reportId, problem } = answered;
  const tookMs = Math.round((performance.now() - start) * 10) / 10;
  const trace = span && traceFields(span.traceparent);
  // Written out, not copied: this is done for every request.
  const fields = { requestId, method, route, status, cache, jobId, reportId, problem, ...trace, tookMs };
  log.info(fields, 'request');
  metrics?.request(route, status, tookMs / 1000);
  if (span) endRequest(span, answered);
}

/** Gives a request its id and the fields that every answer carries, and writes its line when it is answered or its caller has gone (499). */
export function logRequest(telemetry: Telemetry, request: IncomingMessage, response: Response): void {
  const start = performance.now();
  const requestId = newRequestId(request);
  response.setHeader('X-Request-Id', requestId);
  const span = telemetry.tracing && startRequest(telemetry.tracing, request, start);
  if (span) response.setHeader(traceField, span.traceparent);
  for (let index = 0; index < commonFields.length; index += 2)
    response.setHeader(commonFields[index] ?? '', commonFields[index + 1] ?? '');
  response.on('close', () => {
    const status = response.writableEnded ? response.statusCode : 499;
    const subject: Subject = response.locals;
    logAnswer(telemetry, {
      requestId,
      method: request.method ?? 'GET',
      route: routeOf(request),
      status,
      start,
      span,
      cache: response.getHeader('cache-status'),
      ...subject,
    });
  });
}

/** The id that was given to this response's request. */
export function requestIdOf(response: Response): string {
  return String(response.getHeader('X-Request-Id'));
}

/** By what the log lines and spans of a job find the request that asked for it. */
export function originOf(response: Response): {
  readonly requestId: string;
  readonly trace: string | undefined;
} {
  const trace = response.getHeader(traceField);
  return { requestId: requestIdOf(response), trace: typeof trace === 'string' ? trace : undefined };
}

// Express hangs the route that answers onto the request.
function routeOf(request: IncomingMessage): string {
  const route: unknown = Reflect.get(request, 'route');
  return typeof route === 'object' && route !== null && 'path' in route ? String(route.path) : '-';
}
