import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Job, jobVersion, type QueueName, randomId } from '#shared/model/job';
import { Problem } from '#shared/model/problem';
import { type Done, type JobQueue, NotBegun, type QueueWorker, type RunJob } from '#shared/ports/job-queue';
import type { ReportStore, StoredReport } from '#shared/ports/report-store';
import { openWaiting } from '#shared/queue/waiting/waiting';
import { openLogger } from '#shared/telemetry/logger';

export type QueueLimits = {
  readonly hostConcurrency: number;
  readonly hostWaitingLimit: number;
  readonly pageLimit?: number;
};
export type OpenQueue = (limits: QueueLimits) => Promise<JobQueue>;

export const queueLimits: QueueLimits = { hostConcurrency: 2, hostWaitingLimit: 100_000 };

/** Ids of the jobs that the running test has made: jobs of the test before may end meanwhile. */
const made = new Set<string>();

/** A job that differs from others only where it is said. */
export function makeJob(more: Partial<Job> = {}): Job {
  const jobId = randomId();
  const wanted = { since: Date.now(), orFresh: true };
  const job: Job = {
    v: jobVersion,
    queue: 'network',
    jobId,
    reportId: randomId(),
    jobKey: jobId,
    check: 'redirect-check',
    target: 'http://a.test/',
    options: {},
    host: 'a.test',
    caller: 'c1',
    wanted,
    startBy: Date.now() + 60_000,
    runLimitMs: 1000,
    ...more,
  };
  made.add(job.jobId);
  return job;
}

/** A worker of whose slots the queue knows. */
export async function announced(worker: QueueWorker): Promise<QueueWorker> {
  await expect.poll(() => worker.isAnnounced?.() ?? true, { timeout: 30_000 }).toBe(true);
  return worker;
}

/** What every job queue promises. */
export function jobQueueContract(open: OpenQueue): void {
  let queue: JobQueue;
  let ended: Done[];
  beforeEach(async () => {
    queue = await open(queueLimits);
    ended = [];
    made.clear();
    queue.onDone((done) => done !== 'missed' && made.has(done.jobId) && ended.push(done));
  });
  afterEach(async () => {
    await queue.close(0);
  });

  const gaveUp = async () => undefined;
  const until = (count: number) => expect.poll(() => ended.length, { timeout: 15_000 }).toBe(count);

  /** Runs that end when they are told to. */
  const heldRun = () => {
    const running: { job: Job; finish: () => void }[] = [];
    const run: RunJob = (job, _start, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        running.push({ job, finish: () => resolve(undefined) });
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    return { running, run, names: () => running.map(({ job }) => job.target) };
  };

  describe('a job', () => {
    test('is run with its payload as it was submitted, then told as done', async () => {
      const job = makeJob({ options: { selectors: ['a', 'b'] } });
      const seen: Job[] = [];
      queue.work('network', 5, async (given) => void seen.push(given), gaveUp);
      expect(await queue.submit(job)).toMatchObject({ state: 'admitted', jobId: job.jobId });
      await until(1);
      expect(seen).toEqual([job]);
      const { jobKey, jobId, host, reportId } = job;
      const tookMs = expect.any(Number);
      expect(ended).toEqual([{ jobKey, jobId, queue: 'network', host, reportId, state: 'done', tookMs }]);
      expect(await queue.look(job.jobId)).toMatchObject({ state: 'done' });
    });

    test('is told to look in the store where a run of its key has ended since, or where it is old', async () => {
      const asked: string[] = [];
      queue.work(
        'network',
        5,
        async ({ caller }, start) => void (start.mayBeStored && asked.push(caller)),
        gaveUp,
      );
      const since = Date.now() - 120_000;
      await queue.submit(makeJob({ jobKey: 'again', caller: 'first' }));
      await until(1);
      await queue.submit(makeJob({ jobKey: 'again', caller: 'second' }));
      await queue.submit(makeJob({ wanted: { since, orFresh: true }, caller: 'old' }));
      await until(3);
      expect(asked.filter((caller) => caller !== 'first').toSorted()).toEqual(['old', 'second']);
    });

    test('submitted before there is a worker waits for one', async () => {
      const job = makeJob();
      await queue.submit(job);
      expect(await queue.look(job.jobId)).toMatchObject({ state: 'waiting' });
      queue.work('network', 1, async () => undefined, gaveUp);
      await until(1);
    });

    test('with the key of unfinished work joins it: any number of equal submits make one run', async () => {
      const held = heldRun();
      await announced(queue.work('network', 5, held.run, gaveUp));
      const first = makeJob({ jobKey: 'same' });
      await queue.submit(first);
      const joined = await Promise.all(
        Array.from({ length: 50 }, () => queue.submit(makeJob({ jobKey: 'same' }))),
      );
      expect(new Set(joined.map(({ state, jobId }) => `${state} ${jobId}`))).toEqual(
        new Set([`joined ${first.jobId}`]),
      );
      await expect.poll(() => held.running.length).toBe(1);
      held.running[0]?.finish();
      await until(1);
      expect(await queue.submit(makeJob({ jobKey: 'same' }))).toMatchObject({ state: 'admitted' });
    });

    test('that throws is given up, told as failed, and its key is free again', async () => {
      const givenUp: Job[] = [];
      const broken = new Error('defect');
      queue.work(
        'network',
        1,
        () => Promise.reject(broken),
        async (job) => void givenUp.push(job),
      );
      const job = makeJob();
      await queue.submit(job);
      await until(1);
      expect(ended[0]).toMatchObject({ jobId: job.jobId, state: 'failed' });
      expect(givenUp.map(({ jobId }) => jobId)).toEqual([job.jobId]);
      expect(await queue.submit(makeJob({ jobKey: job.jobKey }))).toMatchObject({ state: 'admitted' });
    });

    test('that cannot begin is tried again, and others run meanwhile', { timeout: 30_000 }, async () => {
      let tries = 0;
      const givenUp: Job[] = [];
      const first = makeJob();
      queue.work(
        'network',
        2,
        async ({ jobId }) => {
          if (jobId !== first.jobId) return undefined;
          tries += 1;
          if (tries < 3) throw new NotBegun(new Error('the store is away'));
          return undefined;
        },
        async (job) => void givenUp.push(job),
      );
      await queue.submit(first);
      await expect.poll(() => tries).toBeGreaterThan(0);
      await queue.submit(makeJob({ host: 'other.test' }));
      await until(2);
      expect([tries, ended.map(({ state }) => state), givenUp]).toEqual([3, ['done', 'done'], []]);
      expect(await queue.look(first.jobId)).toMatchObject({ state: 'done' });
    });

    test('that ended without a report is run again for those who wait', { timeout: 30_000 }, async () => {
      const stored = { jobKey: 'lost', checkedAt: Date.now(), freshUntil: Infinity } as StoredReport;
      let isStored = false;
      const reportStore = {
        fault: () => undefined,
        get: async () => undefined,
        findFresh: async () => new Map(isStored ? [['lost', stored]] : []),
      } as unknown as ReportStore;
      let runs = 0;
      queue.work(
        'network',
        1,
        async () => {
          runs += 1;
          isStored = runs === 2;
          if (!isStored) throw new Error('the report was not kept');
          return undefined;
        },
        gaveUp,
      );
      const waiting = openWaiting({
        jobQueue: queue,
        reportStore,
        log: openLogger('silent'),
        onDone: () => undefined,
      });
      const job = makeJob({ jobKey: 'lost' });
      const outcome = await waiting.wait(job, { waitMs: 20_000, signal: new AbortController().signal });
      waiting.close();
      expect([outcome.kind, runs]).toEqual(['report', 2]);
    });

    test('that waits leaves the queue with the last who wants it', { timeout: 30_000 }, async () => {
      const reportStore = {
        fault: () => undefined,
        get: async () => undefined,
        findFresh: async () => new Map(),
      };
      const waiting = openWaiting({
        jobQueue: queue,
        reportStore: reportStore as unknown as ReportStore,
        log: openLogger('silent'),
        onDone: () => undefined,
      });
      const job = makeJob({ jobKey: 'wanted', requestId: 'batch-1' });
      const { signal } = new AbortController();
      const over = new Problem('shutting_down', 'over');
      const want = (one: Job) => {
        const withdrawn = new AbortController();
        const outcome = waiting.wait(one, { waitMs: 20_000, signal, withdrawn: withdrawn.signal });
        return { outcome: outcome.catch((error: unknown) => error), end: () => withdrawn.abort(over) };
      };
      const stateOf = async () => (await queue.look(job.jobId)).state;
      const [first, second] = [want(job), want({ ...job, requestId: 'batch-2' })];
      await expect.poll(stateOf).toBe('waiting');
      first.end();
      expect([await first.outcome, await stateOf()]).toEqual([over, 'waiting']);
      second.end();
      expect([await second.outcome, await stateOf()]).toEqual([over, 'unknown']);
      // A caller who was told to ask again wants it still.
      const third = want(job);
      const polled = await waiting.wait({ ...job, requestId: 'poll' }, { waitMs: 0, signal });
      third.end();
      expect([polled.kind, await third.outcome, await stateOf()]).toEqual(['later', over, 'waiting']);
      waiting.close();
    });

    test('tells its progress while it runs', async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      queue.work(
        'network',
        1,
        async (_job, _start, _signal, report) => {
          report({ done: 2, total: 5, current: 'dmarc' });
          const parts = [{ name: 'dns', state: 'done' }] as const;
          report({ done: 3, total: 5, current: 'mx', parts, reports: ['a'] });
          await promise;
        },
        gaveUp,
      );
      const job = makeJob();
      await queue.submit(job);
      await expect
        .poll(() => queue.look(job.jobId))
        .toMatchObject({
          state: 'running',
          progress: { done: 3, total: 5, current: 'mx', parts: [{ name: 'dns' }], reports: ['a'] },
        });
      resolve();
      await until(1);
    });

    test('whose turn does not come in time expires and is never run', async () => {
      const events: string[] = [];
      queue.onEvent((name, event, count) => events.push(`${name} ${event} ${count}`));
      const held = heldRun();
      await announced(queue.work('network', 5, held.run, gaveUp));
      for (const target of ['1', '2']) await queue.submit(makeJob({ target }));
      const late = makeJob({ target: 'late', startBy: Date.now() + 300 });
      expect(await queue.submit(late)).toMatchObject({ state: 'parked', position: 1 });
      await until(1);
      expect(ended[0]).toMatchObject({ jobId: late.jobId, state: 'expired' });
      expect(events).toEqual(['network expired 1']);
      // Its end is told before the queue has closed it.
      await expect.poll(() => queue.look(late.jobId)).toMatchObject({ state: 'expired' });
      for (const { finish } of held.running) finish();
      await until(3);
      expect(held.names()).not.toContain('late');
    });

    test('whose id was told is known after its end, by what was asked and where its report is', async () => {
      const job = makeJob({ target: 'http://told.test/', options: { a: ['b'] }, account: 'mine' });
      await queue.submit(job);
      await queue.tell(job);
      await announced(queue.work('network', 1, async () => undefined, gaveUp));
      await until(1);
      const { jobId, check, target, options, account, reportId } = job;
      await expect
        .poll(() => queue.look(jobId))
        .toMatchObject({ state: 'done', job: { jobId, check, target, options, account, reportId } });
      await queue.tell(job);
      await queue.tell(makeJob());
      expect(await queue.look(jobId)).toMatchObject({ state: 'done', job: { reportId } });
    });

    test('that nobody submitted is unknown', async () => {
      expect(await queue.look(randomId())).toEqual({ state: 'unknown' });
    });
  });

  describe('a job that is withdrawn', () => {
    const own = (more: Partial<Job> = {}) => makeJob({ requestId: 'batch-1', ...more });

    test('is never run, nobody is told of it, and its key is free', async () => {
      const { running, run, names } = heldRun();
      const [held, parked, again] = [
        own({ target: 'held' }),
        own({ target: 'parked', jobKey: 'parked' }),
        own({ target: 'again', jobKey: 'parked' }),
      ];
      await queue.submit(held);
      await queue.submit(own({ target: 'held too' }));
      await queue.submit(parked);
      await announced(queue.work('network', 5, run, gaveUp));
      await expect.poll(() => names().toSorted(), { timeout: 30_000 }).toEqual(['held', 'held too']);
      expect(await queue.withdraw(parked)).toBe(true);
      expect(await queue.withdraw(parked)).toBe(false);
      expect(await queue.look(parked.jobId)).toMatchObject({ state: 'unknown' });
      expect(await queue.jobsOf(held)).toEqual({ running: 2, waiting: 0 });
      expect(await queue.submit(again)).toMatchObject({ state: 'parked', position: 1 });
      for (const { finish } of running) finish();
      await expect.poll(names, { timeout: 30_000 }).toContain('again');
      for (const { finish } of running) finish();
      await until(3);
      expect(names()).not.toContain('parked');
      expect(ended.map(({ jobId }) => jobId)).not.toContain(parked.jobId);
    });

    test('lets the next in, from whichever line it leaves', async () => {
      const { running, run, names } = heldRun();
      await announced(queue.work('network', 1, run, gaveUp));
      const beside = (target: string) => own({ target, host: `${target}.test` });
      const [first, second, third] = [own(), beside('second'), beside('third')];
      for (const job of [first, second, third]) await queue.submit(job);
      await expect.poll(() => running.length, { timeout: 30_000 }).toBe(1);
      const parked = [own({ target: 'parked' }), own({ target: 'next' })];
      await queue.submit(own({ target: 'here' }));
      for (const job of parked) await queue.submit(job);
      for (const job of [second, ...parked.slice(0, 1)]) expect(await queue.withdraw(job)).toBe(true);
      for (let done = 0; done < 4; done += 1) {
        await expect.poll(() => running.length, { timeout: 30_000 }).toBe(done + 1);
        running[done]?.finish();
      }
      await until(4);
      expect(names().toSorted()).toEqual(['here', 'http://a.test/', 'next', 'third']);
    });

    test('leaves with the last who wants it, whoever that is', async () => {
      const held = heldRun();
      await announced(queue.work('network', 5, held.run, gaveUp));
      for (const target of ['held', 'held too']) await queue.submit(own({ target }));
      await expect.poll(() => held.running.length, { timeout: 30_000 }).toBe(2);
      const wanted = own({ jobKey: 'wanted' });
      const others = ['batch-2', 'batch-3'].map((requestId) => own({ jobKey: 'wanted', requestId }));
      for (const job of [wanted, ...others]) await queue.submit(job);
      for (const job of [wanted, others[0] ?? wanted]) {
        expect(await queue.withdraw(job)).toBe(false);
        expect(await queue.look(wanted.jobId)).toMatchObject({ state: 'waiting' });
      }
      // Who has left is no one any more.
      expect(await queue.withdraw(wanted)).toBe(false);
      expect(await queue.withdraw(others[1] ?? wanted)).toBe(true);
      expect(await queue.look(wanted.jobId)).toMatchObject({ state: 'unknown' });
      for (const { finish } of held.running) finish();
      await until(2);
    });

    test('goes on where it runs, where another request joined it, and where it is of another', async () => {
      const { running, run } = heldRun();
      const [second, third] = ['b.test', 'c.test'];
      const [begun, joined, others] = [own(), own({ host: second }), own({ host: third })];
      await announced(queue.work('network', 1, run, gaveUp));
      await queue.submit(begun);
      await expect.poll(() => running.length, { timeout: 30_000 }).toBe(1);
      await queue.submit(joined);
      await queue.submit({ ...joined, jobId: makeJob({ host: second }).jobId });
      await queue.submit(others);
      expect(await queue.withdraw(begun)).toBe(false);
      expect(await queue.withdraw({ ...others, requestId: 'batch-2' })).toBe(false);
      await queue.submit({ ...joined, jobId: makeJob({ host: second }).jobId, requestId: 'a GET' });
      expect(await queue.withdraw(joined)).toBe(false);
      for (const count of [1, 2, 3]) {
        await expect.poll(() => running.length, { timeout: 30_000 }).toBe(count);
        running[count - 1]?.finish();
      }
      await until(3);
    });
  });

  describe('a host', () => {
    test('has at most its slots in use; the others wait and take over, in order', async () => {
      const held = heldRun();
      await announced(queue.work('network', 50, held.run, gaveUp));
      const submitted = [];
      for (const target of ['1', '2', '3', '4', '5']) submitted.push(await queue.submit(makeJob({ target })));
      expect(submitted.map(({ state, position }) => [state, position])).toEqual([
        ['admitted', undefined],
        ['admitted', undefined],
        ['parked', 1],
        ['parked', 2],
        ['parked', 3],
      ]); // prettier-ignore
      for (let done = 0; done < 5; done += 1) {
        await expect.poll(() => held.running.length).toBe(Math.min(5, done + 2));
        held.running[done]?.finish();
        await until(done + 1);
      }
      expect(held.names()).toEqual(['1', '2', '3', '4', '5']);
    });

    test('that is busy holds up nobody else', async () => {
      const held = heldRun();
      await announced(queue.work('network', 50, held.run, gaveUp));
      for (let index = 0; index < 20; index += 1) await queue.submit(makeJob());
      expect(await queue.submit(makeJob({ host: 'b.test', target: 'other' }))).toMatchObject({
        state: 'admitted',
      });
      await expect.poll(() => held.names()).toContain('other');
      for (const { finish } of held.running) finish();
    });

    test('is shared by its callers in turns, however many jobs one of them has', async () => {
      const held = heldRun();
      await announced(queue.work('network', 50, held.run, gaveUp));
      for (const target of ['x1', 'x2']) await queue.submit(makeJob({ target, caller: 'x' }));
      for (const target of ['a1', 'a2', 'a3', 'a4']) await queue.submit(makeJob({ target, caller: 'a' }));
      for (const target of ['b1', 'b2']) await queue.submit(makeJob({ target, caller: 'b' }));
      for (let done = 0; done < 8; done += 1) {
        await expect.poll(() => held.running.length).toBe(Math.min(8, done + 2));
        held.running[done]?.finish();
        await until(done + 1);
      }
      expect(held.names()).toEqual(['x1', 'x2', 'a1', 'b1', 'a2', 'b2', 'a3', 'a4']);
    });

    test('gives the browser one slot; a waiting page load never blocks a network check', async () => {
      const held = heldRun();
      await announced(queue.work('network', 50, held.run, gaveUp));
      await announced(queue.work('browser', 50, held.run, gaveUp));
      expect(await queue.submit(makeJob({ queue: 'browser', target: 'p1' }))).toMatchObject({
        state: 'admitted',
      });
      expect(await queue.submit(makeJob({ queue: 'browser', target: 'p2' }))).toMatchObject({
        state: 'parked',
      });
      expect(await queue.submit(makeJob({ target: 'n1' }))).toMatchObject({ state: 'admitted' });
      await expect.poll(() => held.names().sort()).toEqual(['n1', 'p1']);
      held.running.find(({ job }) => job.target === 'p1')?.finish();
      await expect.poll(() => held.names().sort()).toEqual(['n1', 'p1', 'p2']);
      for (const { finish } of held.running) finish();
    });

    test('does not count composite jobs', async () => {
      const held = heldRun();
      await announced(queue.work('composite', 50, held.run, gaveUp));
      for (let index = 0; index < 5; index += 1) await queue.submit(makeJob({ queue: 'composite' }));
      await expect.poll(() => held.running.length).toBe(5);
      for (const { finish } of held.running) finish();
    });
  });

  describe('page loads', () => {
    const page = (caller: string, target: string, more: Partial<Job> = {}) =>
      makeJob({ queue: 'browser', host: `${target}.test`, caller, target, ...more });

    test('of hosts of one part of the queue take turns by caller: a caller with many delays no other', async () => {
      const held = heldRun();
      await announced(queue.work('browser', 1, held.run, gaveUp));
      const [first, ...others] = Array.from({ length: 12 }, (_, index) => page('a', `a${index + 1}`));
      if (first) await queue.submit(first);
      // It has its turn before anybody else is there.
      await expect.poll(() => held.running.length).toBe(1);
      for (const job of others) await queue.submit(job);
      for (const target of ['b1', 'b2']) await queue.submit(page('b', target));
      await queue.submit(page('c', 'c1'));
      for (let done = 0; done < 15; done += 1) {
        await expect.poll(() => held.running.length).toBe(done + 1);
        if (done === 4) await queue.submit(page('d', 'd1'));
        // All loads take about as long.
        await delay(60);
        held.running[done]?.finish();
        await until(done + 1);
      }
      await expect.poll(() => held.running.length).toBe(16);
      held.running[15]?.finish();
      await until(16);
      const order = held.names();
      const placeOf = (target: string) => order.indexOf(target);
      expect(Math.max(placeOf('b1'), placeOf('c1'))).toBeLessThan(4);
      expect(placeOf('b2')).toBeLessThan(8);
      // A caller that comes later waits for one load of each caller that waits, too.
      expect(placeOf('d1')).toBeLessThan(9);
      expect(order.filter((target) => target.startsWith('a'))).toEqual(
        Array.from({ length: 12 }, (_, index) => `a${index + 1}`),
      );
    });

    test('of one caller are at most so many; equal work is joined all the same', async () => {
      await queue.close(0);
      queue = await open({ ...queueLimits, pageLimit: 2 });
      queue.onDone((done) => done !== 'missed' && ended.push(done));
      const held = heldRun();
      await announced(queue.work('browser', 1, held.run, gaveUp));
      for (const target of ['1', '2']) {
        await queue.submit(page('a', target, { jobKey: target }));
        await expect.poll(() => held.names()).toEqual(['1']);
      }
      const refused = { code: 'rate_limited', policy: 'browser' };
      await expect(queue.submit(page('a', '3'))).rejects.toMatchObject(refused);
      // A job says how many its caller may have, where that is another number.
      await expect(queue.submit(page('a', '3', { pages: 2 }))).rejects.toMatchObject(refused);
      const more = await queue.submit(page('c', '6', { pages: 1 }));
      expect(more).toMatchObject({ state: 'admitted' });
      await expect(queue.submit(page('c', '7', { pages: 1 }))).rejects.toMatchObject(refused);
      for (const target of ['8', '9'])
        expect(await queue.submit(page('c', target, { pages: 3 }))).toMatchObject({ state: 'admitted' });
      expect(await queue.submit(page('a', '2', { jobKey: '2' }))).toMatchObject({ state: 'joined' });
      expect(await queue.submit(page('b', '4'))).toMatchObject({ state: 'admitted' });
      // What joins the work of another is that one's, and a network check is no page load.
      expect(await queue.submit(page('b', '4', { jobKey: '1' }))).toMatchObject({ state: 'joined' });
      expect(await queue.submit(page('b', '5'))).toMatchObject({ state: 'admitted' });
      queue.work('network', 1, async () => undefined, gaveUp);
      expect(await queue.submit(makeJob({ caller: 'a' }))).toMatchObject({ state: 'admitted' });
      await until(1);
      await expect.poll(() => held.running.length).toBe(1);
      held.running[0]?.finish();
      await until(2);
      expect(await queue.submit(page('a', '3'))).toMatchObject({ state: 'admitted' });
    });
  });

  test('a line that is too long is full: nothing is kept', async () => {
    await queue.close(0);
    queue = await open({ hostConcurrency: 1, hostWaitingLimit: 2 });
    const held = heldRun();
    for (const name of ['network', 'browser', 'composite'] as const)
      await announced(queue.work(name, 5, held.run, gaveUp));
    await queue.submit(makeJob());
    await expect.poll(() => held.running.length, { timeout: 30_000 }).toBe(1);
    const states = [];
    for (let index = 0; index < 3; index += 1) states.push((await queue.submit(makeJob())).state);
    expect(states).toEqual(['parked', 'parked', 'full']);
    // Page loads have a line of their own; who waits for no place of the host is in none.
    expect((await queue.submit(makeJob({ queue: 'browser' }))).state).toBe('parked');
    expect((await queue.submit(makeJob({ queue: 'composite' }), 0)).state).toBe('admitted');
    expect((await queue.submit(makeJob({ host: 'idle.test' }), 0)).state).toBe('admitted');
    // A caller that knows the host's pace says how long its line may be.
    expect((await queue.submit(makeJob(), 1)).state).toBe('full');
    expect((await queue.submit(makeJob(), 3)).state).toBe('parked');
  });

  test('the counts say what waits and what runs', async () => {
    const held = heldRun();
    await announced(queue.work('network', 2, held.run, gaveUp));
    for (let index = 0; index < 2; index += 1) await queue.submit(makeJob());
    await expect.poll(() => held.running.length).toBe(2);
    await queue.submit(makeJob());
    await queue.submit(makeJob({ host: 'b.test' }));
    await expect.poll(() => queue.stats()).toMatchObject({ network: { running: 2, waiting: 1, parked: 1 } });
    for (let done = 0; done < 4; done += 1) {
      await expect.poll(() => held.running.length).toBe(Math.min(4, done + 2));
      held.running[done]?.finish();
    }
    await until(4);
    expect(await queue.stats()).toMatchObject({ network: { running: 0, waiting: 0, parked: 0 } });
  });

  test('a job waits for its host first, then for a worker: the ages are told apart', async () => {
    const held = heldRun();
    await announced(queue.work('network', 3, held.run, gaveUp));
    for (const target of ['1', '2', 'parked']) await queue.submit(makeJob({ target }));
    await queue.submit(makeJob({ host: 'b.test', target: 'other' }));
    await expect.poll(() => held.running.length).toBe(3);
    const read = async () => (await queue.stats()).network;
    await expect.poll(async () => (await read()).oldestParkedMs).toBeGreaterThan(1000);
    expect(await read()).toMatchObject({ waiting: 0, parked: 1, oldestWaitingMs: 0 });
    const { oldestParkedMs } = await read();
    // The worker is full again at once: what its host lets go now waits for a worker.
    await queue.submit(makeJob({ host: 'c.test', target: 'next' }));
    held.running.find(({ job }) => job.target === '1')?.finish();
    await expect.poll(read).toMatchObject({ waiting: 1, parked: 0, oldestParkedMs: 0 });
    const { oldestWaitingMs } = await read();
    expect(oldestWaitingMs).toBeLessThan(oldestParkedMs);
    await expect
      .poll(() => {
        for (const { finish } of held.running) finish();
        return ended.length;
      })
      .toBe(5);
    expect(await read()).toMatchObject({ oldestWaitingMs: 0, oldestParkedMs: 0 });
  });

  test('a worker told to stop takes nothing new, waits for what runs, then aborts it', async () => {
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const worker = queue.work(
      'network',
      1,
      (_job, _start, signal) => {
        start();
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        });
      },
      gaveUp,
    );
    await queue.submit(makeJob());
    await started;
    const waiting = makeJob();
    await queue.submit(waiting);
    await worker.close(100);
    expect(await queue.look(waiting.jobId)).toMatchObject({ state: 'waiting' });
  });

  testCrowd(async () => queue, 400);
}

/** Submits as a client asks: a queue that was too busy to answer in time is asked again. The job's id makes that harmless. */
async function submitPatiently(queue: JobQueue, job: Job): Promise<void> {
  const isTaken = () =>
    queue.submit(job).then(
      () => true,
      (error: unknown) => {
        if ((error as { code?: unknown }).code !== 'queue_unavailable') throw error;
        return false;
      },
    );
  while (!(await isTaken())) continue;
}

/** Many jobs of one host beside a tenth as many of others. @param open a queue of two slots a host */
export function testCrowd(open: () => Promise<JobQueue>, count: number): void {
  test(`${count} jobs of one host beside a tenth as many others: nobody is lost, the limit holds`, async () => {
    const queue = await open();
    const ended: Done[] = [];
    queue.onDone((done) => done !== 'missed' && ended.push(done));
    let running = 0;
    let most = 0;
    const run: RunJob = async ({ host }) => {
      if (host !== 'slow.test') return undefined;
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return undefined;
    };
    queue.work('network', 50, run, async () => undefined);
    const slow = Array.from({ length: count }, () => makeJob({ host: 'slow.test' }));
    const others = Array.from({ length: count / 10 }, (_, index) =>
      makeJob({ host: `h${index % 100}.test` }),
    );
    const all = [...slow, ...others];
    const total = all.length;
    // As many at once as an API under load has.
    while (all.length > 0)
      await Promise.all(all.splice(0, 200).map(async (job) => submitPatiently(queue, job)));
    await expect.poll(() => ended.length, { timeout: 100_000 }).toBe(total);
    expect(new Set(ended.map(({ jobId }) => jobId)).size).toBe(total);
    expect(most).toBeLessThanOrEqual(2);
  }, 120_000);
}

/** What a queue says that nobody serves, and one whose worker has told why. */
export async function listRefusals(queue: JobQueue): Promise<readonly string[]> {
  const crew = queue.work(
    'network',
    1,
    async () => undefined,
    async () => undefined,
  );
  const ask = (name: QueueName) =>
    queue.submit(makeJob({ queue: name })).then(
      ({ state }) => state as string,
      ({ code, detail }: Problem) => `${code}: ${detail}`,
    );
  await expect.poll(() => ask('network')).toBe('admitted');
  const unknown = [await ask('browser'), await ask('composite')];
  queue.deny('browser', 'Install Chrome.');
  await expect.poll(() => ask('browser')).toContain('Install Chrome.');
  const told = await ask('browser');
  await crew.close(0);
  await queue.close(0);
  return [...unknown, told].map((text) => text.replace(/:.*/, ''));
}

export const refusals = ['browser_unavailable', 'queue_unavailable', 'browser_unavailable'];
