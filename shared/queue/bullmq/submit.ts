import type { AnyRedis } from '../../backends/redis.ts';
import type { Job } from '../../model/job.ts';
import type { Submitted } from '../../ports/job-queue.ts';
import { toSentJob } from '../read-message.ts';
import { tooManyPages, unserved } from '../unavailable.ts';
import { type Gate, readPlace } from './gate.ts';
import { handOver, promote, type Queues } from './hand-over.ts';
import { inOneScript } from './joint-scripts.ts';
import type { PageLine } from './page-line.ts';
import type { SharedClock } from './shared-clock.ts';
import type { QueueTelemetry } from './telemetry.ts';
import { sendTogether } from './within-time.ts';

export type SubmitQueues = {
  readonly redis: AnyRedis;
  readonly queues: Queues;
  readonly gate: Gate;
  readonly pages: PageLine;
  readonly pageLimit: number | undefined;
  readonly clock: SharedClock;
  readonly telemetry: QueueTelemetry | undefined;
};

/** Takes a place for the job at its host and at the workers, and hands it to BullMQ; equal work that is there already is joined. */
export async function submit(shardQueues: SubmitQueues, job: Job, lineLimit?: number): Promise<Submitted> {
  if (job.queue !== 'browser') return submitInTurn(shardQueues, job, lineLimit);
  if (!(await shardQueues.pages.enter(job, shardQueues.clock.nowMs()))) return joinOnly(shardQueues, job);
  try {
    const submitted = await submitInTurn(shardQueues, job, lineLimit);
    if (submitted.jobId !== job.jobId || submitted.state === 'full') await shardQueues.pages.leave(job);
    return submitted;
  } catch (error) {
    await shardQueues.pages.leave(job).catch(() => undefined); // it is forgotten later; what matters is the error
    throw error;
  }
}

// Joining costs the browser nothing: a caller with enough page loads may still do that.
async function joinOnly({ queues, gate, pageLimit }: SubmitQueues, job: Job): Promise<Submitted> {
  const jobId = await queues.browser.getDeduplicationJobId(job.jobKey);
  if (jobId === null) throw tooManyPages(job.pages ?? pageLimit ?? 0);
  if (!(await forgetLost(queues, { ...job, jobId }))) await repair({ queues, gate }, { ...job, jobId });
  return { state: 'joined', jobId };
}

async function submitInTurn(
  shardQueues: SubmitQueues,
  job: Job,
  lineLimit: number | undefined,
): Promise<Submitted> {
  const { queues, gate } = shardQueues;
  const { place, addedId } = await reserveAndAdd(shardQueues, job, lineLimit);
  if (place === 'full') return { state: 'full', jobId: job.jobId };
  if (place === 'unserved') throw unserved(await gate.denied(job.queue), job.queue);
  if (addedId !== job.jobId) {
    // Equal work was there before: what was taken for this job goes on, and the earlier one is helped along.
    await handOver(queues, gate, await gate.release(job, {}));
    const earlier = { ...job, jobId: addedId };
    if (await forgetLost(queues, earlier)) return submitInTurn(shardQueues, job, lineLimit);
    await repair({ queues, gate }, earlier);
    return { state: 'joined', jobId: earlier.jobId };
  }
  if (place === 0 || place === 'turn') return { state: 'admitted', jobId: job.jobId };
  return { state: 'parked', jobId: job.jobId, position: place };
}

/** Takes the place and adds the job in one script. A job that has to wait is delayed until its turn comes, or until it is late. */
async function reserveAndAdd(
  { redis, queues, gate, clock, telemetry }: SubmitQueues,
  job: Job,
  lineLimit: number | undefined,
) {
  const timestamp = clock.nowMs();
  const { keys, words } = gate.wordsOfReserve(job, lineLimit);
  const delayMs = Math.max(1, job.startBy - timestamp);
  let place = 0;
  sendTogether(redis);
  const add = () =>
    queues[job.queue].add(job.check, toSentJob(job), {
      attempts: 1,
      timestamp,
      jobId: job.jobId,
      deduplication: { id: job.jobKey },
    });
  const added = await inOneScript(
    { keys, words: [...words, delayMs] },
    (answer) => {
      place = Number(answer);
    },
    async () => (telemetry ? telemetry.within(job.trace, add) : add()),
  );
  return { place: readPlace(place), addedId: added.id ?? '' };
}

// The job gets the turn of the caller who joins it, where that is better. A process may have died between taking a slot and waking the job that it was for.
async function repair({ queues, gate }: Pick<SubmitQueues, 'queues' | 'gate'>, job: Job): Promise<void> {
  if ((await queues[job.queue].getJobState(job.jobId)) !== 'delayed') return;
  if ((await gate.reserve(job)) === 0) await promote(queues[job.queue], job.jobId);
}

/**
 * Forgets work that nobody does any more: where keys were evicted, or another writer has removed them, a job may be in no list, or have ended
 * without what names its key, while its key still stands for it. One that ends as it should takes its key along in the same script.
 */
async function forgetLost(queues: Queues, { queue, jobId, jobKey }: Job): Promise<boolean> {
  const lost = queues[queue];
  const state = await lost.getJobState(jobId);
  if (!['unknown', 'completed', 'failed'].includes(state)) return false;
  const stands = (await lost.getDeduplicationJobId(jobKey)) === jobId;
  if (stands) await lost.removeDeduplicationKey(jobKey);
  return stands || state === 'unknown';
}
