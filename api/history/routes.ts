import { Problem } from '#shared/model/problem';
import { type AnswerRequest, acceptingJson } from '../answer/accept-json.ts';
import type { ReportServices } from '../reports/readable.ts';
import { admit } from '../request/admit.ts';
import { answerCompare } from './compare.ts';
import { answerDomainHistory } from './domain-history.ts';

/** Adds the endpoints of a domain over time and of domains side by side. @param get adds a route */
export function addHistory(
  services: ReportServices,
  get: (path: string, answer: AnswerRequest) => void,
): void {
  const readable =
    (answer: typeof answerCompare): AnswerRequest =>
    async (request, response) => {
      // Before authentication: where there are no ids, no token opens anything.
      if (!services.site.reportIds)
        throw new Problem('report_ids_disabled', 'Reports have no ids here, and there is no history.');
      const need = services.site.isOpen ? 'anyone' : 'reports:read';
      await answer(services, await admit(services.limits, request, response, need), request, response);
    };
  get('/api/history/:domain', acceptingJson(readable(answerDomainHistory)));
  // As with an export, `format` decides, and Accept is judged for JSON alone.
  get('/api/compare', readable(answerCompare));
}
