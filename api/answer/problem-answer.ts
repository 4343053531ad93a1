import type { NextFunction, Request, Response } from 'express';
import { Problem, problems } from '#shared/model/problem';
import { noteSubject, requestIdOf, type Witness } from '../request/request-log.ts';
import { ClientGone } from './client-gone.ts';
import { sendJson } from './json.ts';

/** The only place that turns an error into HTTP (RFC 9457). What is no Problem is a defect: logged once, answered 500. */
export function answerProblems({ log, metrics }: Witness, publicPath: string) {
  return (error: unknown, _request: Request, response: Response, _next: NextFunction): void => {
    if (error instanceof ClientGone) return;
    const foreseen = error instanceof Problem ? error : readExpressError(error);
    if (!foreseen) log.error({ requestId: requestIdOf(response), err: error }, 'request failed');
    const problem =
      foreseen ?? new Problem('internal_error', 'This is a defect of ours. Tell the operator the requestId.');
    if (problem.code === 'rate_limited') metrics?.rateLimited(problem.policy ?? 'unknown');
    metrics?.problem(problem.code);
    noteSubject(response, { problem: problem.code });
    if (response.headersSent) return void response.destroy();
    sendProblem(response, { problem, publicPath });
  };
}

function sendProblem(
  response: Response,
  { problem, publicPath }: { readonly problem: Problem; readonly publicPath: string },
): void {
  const { status, title } = problems[problem.code];
  response.statusCode = status;
  for (const name of ['ETag', 'Last-Modified', 'Content-Encoding']) response.removeHeader(name);
  response.setHeader('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(problem.headers)) response.setHeader(name, value);
  if (problem.retryAfterS !== undefined) response.setHeader('Retry-After', problem.retryAfterS);
  const body = {
    type: `${publicPath}/problems/${problem.code}`,
    title,
    status,
    detail: problem.detail,
    code: problem.code,
    requestId: requestIdOf(response),
    ...(problem.errors ? { errors: problem.errors } : {}),
    ...(problem.policy === undefined ? {} : { policy: problem.policy }),
    ...(problem.retryAfterS === undefined ? {} : { retryAfterSeconds: problem.retryAfterS }),
  };
  sendJson(response, body, 'application/problem+json');
}

// Express and its router throw errors with a `status` for paths that cannot be decoded.
function readExpressError(error: unknown): Problem | undefined {
  if (!(error instanceof URIError)) return undefined;
  const detail = 'The path is not valid percent-encoding of UTF-8.';
  return new Problem('invalid_request', `path: ${detail}`, {
    errors: [{ in: 'path', name: 'path', detail }],
    cause: error,
  });
}
