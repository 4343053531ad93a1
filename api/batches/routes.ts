import type { Request, Response } from 'express';
import type { Caller } from '#shared/limits/caller';
import { type AnswerRequest, type Answers, acceptingJson } from '../answer/accept-json.ts';
import { refuseOtherSite } from '../origins/other-site.ts';
import { noIds } from '../reports/readable.ts';
import { admitToken, isWrite } from '../request/admit.ts';
import { answerCancel, answerCreate, answerList, answerShow } from './answer-batches.ts';
import type { BatchServices } from './batch-services.ts';
import { answerResults } from './results.ts';

type BatchAnswer = (
  services: BatchServices,
  caller: Caller,
  request: Request,
  response: Response,
) => Promise<void>;
/** The paths of batches, as Express and log lines have them. */
export const batchPatterns = {
  all: '/api/batches',
  one: '/api/batches/:batchId',
  results: '/api/batches/:batchId/results',
} as const;

/** Adds the endpoints of batches; each needs a token with `tools`, in open mode too. @param add adds the methods of a path */
export function addBatches(services: BatchServices, add: (path: string, answers: Answers) => void): void {
  const own =
    (answer: BatchAnswer): AnswerRequest =>
    async (request, response) => {
      if (isWrite(request)) refuseOtherSite(services.origins.isFromOtherSite, request.headers);
      // Before authentication: where there are no ids, no token opens anything.
      if (!services.site.reportIds) throw noIds();
      const caller = await admitToken(services.limits, request, response, 'tools');
      if (isWrite(request)) await services.limits.quotas.takeWrites(caller, 1, response);
      await answer(services, caller, request, response);
    };
  add(batchPatterns.all, {
    get: acceptingJson(own(answerList)),
    post: acceptingJson(own(answerCreate)),
  });
  add(batchPatterns.one, { get: acceptingJson(own(answerShow)), delete: own(answerCancel) });
  // As with an export, `format` alone decides, and Accept is not judged.
  add(batchPatterns.results, { get: own(answerResults) });
}
