import type { Request, Response } from 'express';
import { Problem } from '#shared/model/problem';
import { takesJson } from './representation.ts';

/** Answers, or gives or throws a Problem. */
export type AnswerRequest = (request: Request, response: Response) => Promise<Problem | void> | void;

/** What answers a path: everybody's GET, and what a form of a page or a program sends to change something. */
export type Answers = {
  readonly get?: AnswerRequest;
  readonly post?: AnswerRequest;
  readonly patch?: AnswerRequest;
  readonly delete?: AnswerRequest;
};

/** Gives the answer to clients that take JSON; else 406. */
export function acceptingJson(answer: AnswerRequest): AnswerRequest {
  return (request, response) => {
    if (!takesJson(request.headers.accept))
      throw new Problem('not_acceptable', 'Send Accept: application/json, or none.');
    return answer(request, response);
  };
}
