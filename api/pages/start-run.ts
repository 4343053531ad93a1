import type { Response } from 'express';
import { makeJob } from '../../shared/make-job.ts';
import { Problem } from '../../shared/model/problem.ts';
import { noteSubject, requestIdOf } from '../request/request-log.ts';
import { runOrJoin } from '../tools/runs.ts';
import { findKnown } from '../tools/shelf.ts';
import { withParameter } from './addresses.ts';
import type { PageDesk } from './page-desk.ts';
import { seeOther } from './send-page.ts';
import type { Visit } from './visit.ts';

/** Starts a check, or joins equal work, as a GET of the tool with `fresh` does; sends the visitor to the page that follows it, without waiting. */
export async function startRun({ shelf, runs }: PageDesk, visit: Visit, response: Response): Promise<void> {
  const { spec, ask, caller, self } = visit;
  const now = Date.now();
  const wanted = { since: now - spec.refreshFloorS * 1000, orFresh: false };
  if (await findKnown(shelf, ask.jobKey, wanted, now)) return seeOther(response, self);
  const { jobKey, keyVersion, target, options, host } = ask;
  const job = makeJob(
    spec,
    {
      jobKey,
      keyVersion,
      target,
      options,
      host,
      caller: caller.id,
      isAnonymous: caller.kind === 'anonymous',
      requestId: requestIdOf(response),
      wanted,
    },
    now + runs.queueSeconds * 1000,
  );
  const outcome = await runOrJoin(runs, spec, { job, caller, ask: { ...ask, waitS: 0 }, response });
  if (outcome.kind === 'report') return seeOther(response, self);
  const { jobId, state } = outcome.submitted;
  noteSubject(response, { jobId });
  if (state === 'full')
    throw new Problem('overloaded', `Too many checks of ${host} are waiting already. Ask again later.`, {
      retryAfterS: 30,
    });
  seeOther(response, withParameter(self, 'job', jobId));
}
