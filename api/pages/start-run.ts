import type { Response } from 'express';
import { noteSubject, originOf } from '../request/request-log.ts';
import { drawJob, tooMuchWaits } from '../tools/draw-job.ts';
import { runOrJoin } from '../tools/runs.ts';
import { findKnown } from '../tools/shelf.ts';
import { withParameter } from './addresses.ts';
import type { PageDesk } from './page-desk.ts';
import { seeOther } from './send-page.ts';
import type { Visit } from './visit.ts';

/**
 * Starts a check, or joins equal work, and sends the visitor to the page that follows it, without waiting; where a report answers already, to that.
 * @param wish `fresh-enough`: as a GET of the tool · `again`: as one with `fresh`
 */
export async function startRun(
  { shelf, runs }: PageDesk,
  visit: Visit,
  response: Response,
  wish: 'fresh-enough' | 'again',
): Promise<void> {
  const { spec, ask, caller, self } = visit;
  const now = Date.now();
  const wanted =
    wish === 'again'
      ? { since: now - spec.refreshFloorS * 1000, orFresh: false }
      : { since: now, orFresh: true };
  if (await findKnown(shelf, ask.jobKey, wanted, now)) return seeOther(response, self);
  const drawing = { ask, caller, ...originOf(response), wanted, now };
  const job = drawJob(spec, drawing, runs.queueSeconds);
  const outcome = await runOrJoin(runs, spec, { job, caller, ask: { ...ask, waitS: 0 }, response });
  if (outcome.kind === 'report') return seeOther(response, self);
  const { jobId, state } = outcome.submitted;
  noteSubject(response, { jobId });
  if (state === 'full') throw tooMuchWaits(job);
  seeOther(response, withParameter(self, 'job', jobId));
}
