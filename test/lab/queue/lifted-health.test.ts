import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { performanceQuestion } from '#shared/catalogue/domain-health/sources';
import { domainHealth } from '#shared/catalogue/domain-health/spec';
import { makeJob } from '#shared/catalogue/make-job';
import type { Job } from '#shared/model/job';
import type { JobQueue } from '#shared/ports/job-queue';
import { openMemoryJobQueue } from '#shared/queue/memory';
import { openJobs } from '../../../worker/run/jobs.ts';
import { openRunClock } from '../../../worker/run/run-clock.ts';
import { announced } from '../../contract/job-queue.contract.ts';
import { openBullmqQueue } from '../../kit/bullmq-queue.ts';
import { hasRedis, startRedis, type TestRedis } from '../../kit/redis.ts';
import { openAsks } from './open-asks.ts';

const limits = { hostConcurrency: 4, hostWaitingLimit: 100 };

function healthOf(domain: string, more: Partial<Job> = {}): Job {
  const wish = {
    jobKey: domain,
    target: domain,
    options: {},
    host: domain,
    caller: 'a',
    levels: ['account:a'],
  };
  const wanted = { since: Date.now(), orFresh: true };
  return { ...makeJob(domainHealth, { ...wish, wanted }, Date.now() + 60_000), ...more };
}

/** Two healths of a batch, whose page loads wait for the only browser; then somebody asks for the second. @returns the hosts of the page loads, in order */
async function liftSecond(jobQueue: JobQueue): Promise<readonly string[]> {
  const { reportStore, waiting, settings } = openAsks(jobQueue);
  const loaded: string[] = [];
  const loads: (() => void)[] = [];
  const load = async ({ target }: Job): Promise<undefined> => {
    loaded.push(new URL(target).hostname);
    await new Promise<void>((resolve) => loads.push(resolve));
  };
  const gaveUp = async () => undefined;
  await announced(jobQueue.work('browser', 1, load, gaveUp));
  const stop = new AbortController();
  const health = async (job: Job): Promise<undefined> => {
    const clock = openRunClock({ limitMs: 50_000, partsMs: 46_000, heldMostMs: 60_000 });
    const jobs = openJobs(settings, job, { clock, signal: stop.signal });
    await jobs.ask(performanceQuestion(`https://${job.target}/`), () => undefined).catch(() => undefined); // it is stopped
    clock.close();
  };
  await announced(jobQueue.work('composite', 5, health, gaveUp));
  const ofBatch = { isBackground: true };
  await jobQueue.submit(healthOf('holder.test', ofBatch));
  await expect.poll(() => loaded).toEqual(['holder.test']);
  await jobQueue.submit(healthOf('first.test', ofBatch));
  await expect.poll(async () => (await jobQueue.stats()).browser.waiting).toBe(1);
  await jobQueue.submit(healthOf('second.test', ofBatch));
  await expect.poll(async () => (await jobQueue.stats()).browser.waiting).toBe(2);
  // A GET of the same account joins the second.
  await jobQueue.submit(healthOf('second.test'));
  const second = waiting.jobIdOf(
    settings.questions.of(
      performanceQuestion('https://second.test/').spec,
      {
        target: 'https://second.test/',
        host: 'second.test',
        options: performanceQuestion('https://second.test/').options,
      },
      undefined,
    ).jobKey,
  );
  const isLifted = async () => {
    const state = await jobQueue.look(second ?? '');
    return state.state === 'waiting' && state.job.isBackground !== true;
  };
  await expect.poll(isLifted, { timeout: 5000 }).toBe(true);
  loads[0]?.();
  await expect.poll(() => loaded.length).toBe(2);
  stop.abort(new Error('the test is over'));
  for (const end of loads) end();
  waiting.close();
  await jobQueue.close(0);
  await reportStore.close();
  return loaded;
}

describe('a health of a batch that somebody asks for while it runs: its parts go first as well', () => {
  let redis: TestRedis | undefined;
  beforeAll(async () => {
    redis = hasRedis ? await startRedis() : undefined;
  });
  afterAll(() => redis?.stop());

  test('embedded', async () => {
    const queue = openMemoryJobQueue({ ...limits, waitingLimit: 100 });
    expect((await liftSecond(queue)).slice(0, 2)).toEqual(['holder.test', 'second.test']);
  });

  test.skipIf(!hasRedis)('over Redis', async () => {
    if (!redis) return;
    expect((await liftSecond(await openBullmqQueue(redis, limits))).slice(0, 2)).toEqual([
      'holder.test',
      'second.test',
    ]);
  });
});
