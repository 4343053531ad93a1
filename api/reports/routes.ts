import type { Request, Response } from 'express';
import type { Caller } from '#shared/limits/caller';
import { type AnswerRequest, acceptingJson } from '../answer/accept-json.ts';
import { admit } from '../request/admit.ts';
import { answerDiff } from './diff.ts';
import { answerHistory } from './history.ts';
import { noIds, type ReportServices } from './readable.ts';
import { answerExport, answerReport, answerScreenshot } from './show.ts';
import { answerStream, wantsStream } from './stream.ts';

type ReportAnswer = (
  services: ReportServices,
  caller: Caller,
  request: Request,
  response: Response,
) => Promise<void>;

/** Adds the endpoints of stored reports; each needs a token with `reports:read`. @param get adds a route */
export function addReports(
  services: ReportServices,
  get: (path: string, answer: AnswerRequest) => void,
): void {
  const readable =
    (answer: ReportAnswer): AnswerRequest =>
    async (request, response) => {
      // Before authentication: where there are no ids, no token opens anything.
      if (!services.site.reportIds) throw noIds();
      const caller = await admit(services.limits, request, response, 'reports:read');
      await answer(services, caller, request, response);
    };
  const page = acceptingJson(readable(answerHistory));
  const stream = readable(answerStream);
  // As with an export, `format` alone decides, and Accept is not judged.
  get('/api/reports', (request, response) =>
    wantsStream(request) ? stream(request, response) : page(request, response),
  );
  get('/api/reports/:id', acceptingJson(readable(answerReport)));
  get('/api/reports/:id/export', readable(answerExport));
  get('/api/reports/:id/screenshot', readable(answerScreenshot));
  get('/api/reports/:a/diff/:b', acceptingJson(readable(answerDiff)));
}
