import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import { Problem, problems } from '#shared/model/problem';
import { ClientGone, endAnswer } from '../request/connections.ts';
import { requestIdOf, type Telemetry } from '../request/request-log.ts';
import { tellProblem } from './tell-problem.ts';

/** Writes a JSON body with its length. */
export function sendJson(response: Response, body: unknown, type = 'application/json; charset=utf-8'): void {
  const text = JSON.stringify(body);
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  // As a text: Node sends it in one write with the head.
  response.end(response.req.method === 'HEAD' ? undefined : text);
}

/** Answers a request that ended in an error. */
type AnswerProblem = (error: unknown, request: IncomingMessage, response: Response) => void;

/** The only place that turns an error into HTTP (RFC 9457). What is no Problem is a defect: logged once, answered 500. */
export function answerProblemOf(telemetry: Telemetry, publicPath: string): AnswerProblem {
  return (error, request, response) => {
    if (error instanceof ClientGone) return;
    const foreseen = readProblem(error);
    if (!foreseen) telemetry.log.error({ requestId: requestIdOf(response), err: error }, 'request failed');
    const problem =
      foreseen ?? new Problem('internal_error', 'This is a defect of ours. Tell the operator the requestId.');
    tellProblem(telemetry, problem, response);
    if (response.headersSent) return void response.destroy();
    sendProblem(request, response, printProblem(problem, requestIdOf(response), publicPath));
  };
}

function sendProblem(
  request: IncomingMessage,
  response: Response,
  { status, fields, text }: PrintedProblem,
): void {
  response.statusCode = status;
  for (const name of ['ETag', 'Last-Modified', 'Content-Encoding']) response.removeHeader(name);
  for (let index = 0; index < fields.length; index += 2)
    response.setHeader(fields[index] ?? '', fields[index + 1] ?? '');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  if (request.method === 'HEAD') response.end();
  else endAnswer(request, response, text);
}

/** A problem as it is sent. */
type PrintedProblem = {
  readonly status: number;
  /** A flat list of names and values. */
  readonly fields: readonly string[];
  /** The document, JSON. */
  readonly text: string;
};

/** The status, the fields of its own and the document of a problem. @param publicPath the prefix of its type */
export function printProblem(problem: Problem, requestId: string, publicPath: string): PrintedProblem {
  const { code, detail, errors, policy, quota, retryAfterS, headers } = problem;
  const { status, title } = problems[code];
  const retry = retryAfterS === undefined ? [] : ['Retry-After', String(retryAfterS)];
  const type = `${publicPath}/problems/${code}`;
  const body = {
    type,
    title,
    status,
    detail,
    code,
    requestId,
    errors,
    policy,
    ...quota,
    retryAfterSeconds: retryAfterS,
  };
  return {
    status,
    fields: [
      'Cache-Control',
      'no-store',
      ...Object.entries(headers).flat(),
      ...retry,
      'Content-Type',
      'application/problem+json',
    ],
    text: JSON.stringify(body),
  };
}

/** The Problem that an error is: our own, or that of a path that the router cannot decode; undefined for a defect. */
export function readProblem(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (!(error instanceof URIError)) return undefined;
  const detail = 'The path is not valid percent-encoding of UTF-8.';
  return new Problem('invalid_request', `path: ${detail}`, {
    errors: [{ in: 'path', name: 'path', detail }],
    cause: error,
  });
}
