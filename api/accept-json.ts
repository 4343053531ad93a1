import type { Request, Response } from 'express';
import { Problem } from '../shared/model/problem.ts';

export type Answer = (request: Request, response: Response) => Promise<void> | void;

/** Lets an answer be given to those who take JSON; else 406. */
export function acceptingJson(answer: Answer): Answer {
  return (request, response) => {
    const { accept } = request.headers;
    // The usual three without Express's parser, which costs more than the rest of a cached answer.
    const isUsual =
      accept === undefined || accept === '' || accept === '*/*' || accept === 'application/json';
    if (!isUsual && !acceptsJson(request))
      throw new Problem('not_acceptable', 'Send Accept: application/json, or none.');
    return answer(request, response);
  };
}

// Our JSON has no variants: a charset or version that a client names beside it changes nothing, where Express would say 406.
function acceptsJson(request: Request): boolean {
  request.headers.accept = request.headers.accept?.replace(/;(?!\s*q\s*=)[^;,]*/gi, '');
  return request.accepts('application/json') !== false;
}
