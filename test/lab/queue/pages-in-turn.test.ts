import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { performanceQuestion } from '#shared/catalogue/domain-health/sources';
import { domainHealth } from '#shared/catalogue/domain-health/spec';
import { makeJob } from '#shared/catalogue/make-job';
import type { JobQueue } from '#shared/ports/job-queue';
import { openMemoryJobQueue } from '#shared/queue/memory';
import { pagesOfCaller } from '#shared/queue/unavailable';
import { openJobs } from '../../../worker/run/jobs.ts';
import { openRunClock } from '../../../worker/run/run-clock.ts';
import { openBullmqQueue } from '../../kit/bullmq-queue.ts';
import { hasRedis, startRedis, type TestRedis } from '../../kit/redis.ts';
import { openPageStandIn } from '../domain-health/page-stand-in.ts';
import { openAsks } from './open-asks.ts';

const limits = { hostConcurrency: 4, hostWaitingLimit: 100, pageLimit: pagesOfCaller };
const healthsOfOne = 12;
/** The load that ran when it came, and one of the caller that was there before. */
const mostBefore = 2;

/** What domain-health of two callers asks the browser: twelve of caller a, then one of caller b. @returns targets in the order in which pages were loaded, and the most of `a` that waited at once */
async function loadPages(jobQueue: JobQueue) {
  const { reportStore, waiting, settings } = openAsks(jobQueue);
  const pages = openPageStandIn({ jobQueue, reportStore }, { isThere: () => true, hasIds: true });
  const release = pages.hold();
  const time = {
    clock: openRunClock({ limitMs: 50_000, partsMs: 46_000, heldMostMs: 60_000 }),
    signal: new AbortController().signal,
  };
  const askPage = async (caller: string, domain: string) => {
    const wish = { jobKey: domain, target: domain, options: {}, host: domain, caller };
    const wanted = { since: Date.now(), orFresh: true };
    const parent = makeJob(domainHealth, { ...wish, wanted }, Date.now() + 60_000);
    const jobs = openJobs(settings, parent, time);
    return jobs.ask(performanceQuestion(`https://${domain}/`), () => undefined);
  };
  const asking = Array.from({ length: healthsOfOne }, (_, index) => askPage('a', `a${index}.test`));
  await expect.poll(() => pages.asked.length).toBe(1);
  await expect.poll(async () => (await jobQueue.stats()).browser.waiting).toBe(pagesOfCaller - 1);
  const last = askPage('b', 'b.test');
  await expect.poll(async () => (await jobQueue.stats()).browser.waiting).toBe(pagesOfCaller);
  release();
  const answers = await Promise.all([...asking, last]);
  await pages.close(0);
  waiting.close();
  time.clock.close();
  await reportStore.close();
  return { asked: [...pages.asked], answers };
}

async function countBefore(jobQueue: JobQueue): Promise<number> {
  const { asked, answers } = await loadPages(jobQueue);
  await jobQueue.close(0);
  const before = asked.indexOf('https://b.test/');
  console.log(`page loads before the other caller's: ${before}; in the order of asking ${healthsOfOne}`);
  expect(answers.filter((answer) => !('report' in answer))).toEqual([]);
  expect(new Set(asked).size).toBe(healthsOfOne + 1);
  return before;
}

test('in memory, page loads inside domain-health count for their caller, and callers take turns', async () => {
  const queue = openMemoryJobQueue({ ...limits, waitingLimit: 1000 });
  expect(await countBefore(queue)).toBeLessThanOrEqual(mostBefore);
});

describe.skipIf(!hasRedis)('over Redis', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  test('page loads inside domain-health count for their caller, and callers take turns', async () => {
    expect(await countBefore(await openBullmqQueue(redis, limits))).toBeLessThanOrEqual(mostBefore);
  });
});
