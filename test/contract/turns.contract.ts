import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Job } from '#shared/model/job';
import type { Done, JobQueue, RunJob, Slot } from '#shared/ports/job-queue';
import { announced, makeJob, type OpenQueue, queueLimits } from './job-queue.contract.ts';

type Running = { readonly job: Job; readonly slot: Slot; finish(): void };

/** What every job queue promises of the turns of callers at its workers. */
export function turnsContract(open: OpenQueue): void {
  let queue: JobQueue;
  let ended: Done[];
  let running: Running[];
  beforeEach(async () => {
    queue = await open(queueLimits);
    ended = [];
    running = [];
    queue.onDone((done) => done !== 'missed' && ended.push(done));
  });
  afterEach(async () => {
    await queue.close(0);
  });

  const run: RunJob = (job, { slot }, signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const entry = {
        job,
        slot,
        finish() {
          running.splice(running.indexOf(entry), 1);
          resolve(undefined);
        },
      };
      running.push(entry);
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  const work = (slots: number) => announced(queue.work('network', slots, run, async () => undefined));
  let hosts = 0;
  /** A job of a host of its own. */
  const submit = async (caller: string, more: Partial<Job> = {}) => {
    hosts += 1;
    const job = makeJob({ host: `h${hosts}.test`, caller, ...more });
    await queue.submit(job);
    return job;
  };
  const submitMany = async (count: number, caller: (index: number) => string, more: Partial<Job> = {}) => {
    for (let index = 0; index < count; index += 1) await submit(caller(index), more);
  };
  const countOf = (caller: string) => running.filter(({ job }) => job.caller === caller).length;
  const countAnonymous = () => running.filter(({ job }) => job.isAnonymous === true).length;
  const poll = (read: () => number) => expect.poll(read, { timeout: 10_000 });
  /** Long enough for what must not happen. */
  const settle = () => delay(400);

  describe('turns', () => {
    test('let a lone caller have all slots', async () => {
      await work(6);
      await submitMany(10, () => 'a');
      await poll(() => running.length).toBe(6);
      await settle();
      expect(running.length).toBe(6);
    });

    test('never make a caller wait for runs of others that end late', async () => {
      await work(6);
      await submitMany(20, () => 'a');
      await poll(() => running.length).toBe(6);
      await submit('b');
      await poll(() => countOf('b')).toBe(1);
      expect(ended).toEqual([]);
    });

    test('give callers with backlogs equal shares, however long their runs are', async () => {
      await work(4);
      await submitMany(12, () => 'a');
      await poll(() => running.length).toBe(4);
      await submitMany(12, () => 'b');
      // Those of `b` that are beyond the slots are its share.
      await poll(() => countOf('b')).toBe(2);
      for (const { finish } of running.filter(({ job }) => job.caller === 'a').slice(0, 2)) finish();
      await settle();
      expect([countOf('a'), countOf('b')]).toEqual([2, 2]);
      // What one of them ends is the same one's again.
      for (let round = 0; round < 5; round += 1) {
        running.find(({ job }) => job.caller === 'b')?.finish();
        await poll(() => running.length).toBe(4);
        expect([countOf('a'), countOf('b')]).toEqual([2, 2]);
      }
    });

    test('are a network’s as a whole: its callers together are one caller beside another', async () => {
      await work(4);
      const levels = ['2001:db8::/32', '2001:db8:1::/48'];
      const more = { levels, isAnonymous: true };
      await submitMany(40, (index) => `2001:db8:1:${index}::/64`, more);
      await settle();
      // Its callers share twice its share at most.
      expect(countAnonymous()).toBeLessThanOrEqual(8);
      const own = { levels: ['192.0.2.0/24'], isAnonymous: true };
      await submit('192.0.2.1', own);
      await poll(() => countOf('192.0.2.1')).toBe(1);
      await submitMany(6, () => '192.0.2.1', own);
      await poll(() => countOf('192.0.2.1')).toBe(2);
      // From now on the network has its share until it has no more than that.
      while (countAnonymous() > 4) running.find(({ job }) => job.caller !== '192.0.2.1')?.finish();
      await settle();
      expect(countOf('192.0.2.1')).toBe(2);
      expect(countAnonymous()).toBeLessThanOrEqual(6);
    });

    test('are an account’s as a whole: fifty tokens of it are one caller', async () => {
      await work(4);
      await submitMany(100, (index) => `token:${index % 50}`, { levels: ['account:a'] });
      await settle();
      expect(running.length).toBeLessThanOrEqual(8);
      await submit('token:other', { levels: ['account:b'] });
      await poll(() => countOf('token:other')).toBe(1);
    });

    test('leave a known caller a quarter of all places, however much work without a token there is', async () => {
      await work(4);
      await submitMany(60, (index) => `192.0.${index}.1`, { levels: ['192.0.0.0/16'], isAnonymous: true });
      await submitMany(60, (index) => `198.51.${index}.1`, { isAnonymous: true });
      await poll(() => countAnonymous()).toBe(12);
      await settle();
      expect(countAnonymous()).toBe(12);
      await submitMany(8, () => 'token:a', { levels: ['account:a'] });
      await poll(() => countOf('token:a')).toBe(4);
      // None of what runs was ended for it, and its next job comes first at once.
      running.find(({ job }) => job.isAnonymous === true)?.finish();
      await settle();
      expect([countAnonymous(), countOf('token:a')]).toEqual([12, 4]);
      running.find(({ job }) => job.caller === 'token:a')?.finish();
      await settle();
      expect([countAnonymous(), countOf('token:a')]).toEqual([12, 4]);
    });

    test('never halve what a lone caller without a token may have', async () => {
      await work(4);
      await submitMany(4, () => 'token:a', { levels: ['account:a'] });
      await poll(() => running.length).toBe(4);
      await submitMany(8, () => '192.0.2.1', { isAnonymous: true });
      await poll(() => countAnonymous()).toBe(4);
      expect(countOf('token:a')).toBe(4);
    });

    test('at page loads never hand out more than there are slots', async () => {
      await announced(queue.work('browser', 2, run, async () => undefined));
      await submitMany(3, (index) => `192.0.${index}.1`, { queue: 'browser', isAnonymous: true });
      await submitMany(3, (index) => `token:${index}`, { queue: 'browser' });
      await poll(() => running.length).toBe(2);
      await settle();
      expect(running.length).toBe(2);
      running[0]?.finish();
      // The class without a token orders: a known caller is next.
      await poll(() => countAnonymous()).toBe(1);
      await poll(() => running.length).toBe(2);
    });

    test('of callers that hold as many slots, the one whose last turn is the longest ago is next', async () => {
      const started = async (caller: string) => {
        await submit(caller);
        await poll(() => countOf(caller)).toBe(1);
        return running.find(({ job }) => job.caller === caller);
      };
      await work(1);
      const early = await started('early');
      const late = await started('late');
      const [holder] = [await started('first'), await started('second')];
      late?.finish();
      await started('third');
      early?.finish();
      await started('fourth');
      await submit('other');
      await submit('late');
      await submit('early');
      expect([countOf('early'), countOf('late')]).toEqual([0, 0]);
      running.find(({ job }) => job.caller === 'other')?.finish();
      holder?.finish();
      await poll(() => running.length).toBeLessThanOrEqual(5);
      await settle();
      expect(countOf('late')).toBeLessThanOrEqual(countOf('early') + 1);
    });

    test('are never made worse by others who join: eight of them without a token', async () => {
      await work(1);
      await submit('token:a', { levels: ['account:a'] });
      await poll(() => running.length).toBe(1);
      const wanted = await submit('token:b', { levels: ['account:b'], jobKey: 'wanted' });
      await submitMany(20, (index) => `192.0.${index}.1`, { isAnonymous: true });
      for (let index = 0; index < 8; index += 1)
        expect(
          await queue.submit(
            makeJob({ jobKey: 'wanted', host: wanted.host, caller: `198.51.${index}.1`, isAnonymous: true }),
          ),
        ).toMatchObject({ state: 'joined' });
      await poll(() => running.filter(({ job }) => job.jobKey === 'wanted').length).toBe(1);
    });

    test('are better with a known caller who joins, though eight others wait already', async () => {
      await work(1);
      await submitMany(3, (index) => `192.0.${index}.9`, { isAnonymous: true });
      await poll(() => running.length).toBe(3);
      await submitMany(20, (index) => `192.0.${index}.1`, { isAnonymous: true });
      const more = { jobKey: 'wanted', host: 'wanted.test', isAnonymous: true };
      for (let index = 0; index < 9; index += 1)
        await queue.submit(makeJob({ ...more, caller: `198.51.${index}.1` }));
      await settle();
      expect(running.filter(({ job }) => job.jobKey === 'wanted')).toEqual([]);
      await queue.submit(makeJob({ jobKey: 'wanted', host: 'wanted.test', caller: 'token:a' }));
      await poll(() => running.filter(({ job }) => job.jobKey === 'wanted').length).toBe(1);
    });

    test('go to a parked job at the turn of whoever joins it', async () => {
      await work(1);
      await submit('a');
      await poll(() => countOf('a')).toBe(1);
      await submitMany(5, () => 'a');
      const wanted = await submit('a', { jobKey: 'wanted' });
      await submit('a');
      const joining = makeJob({ jobKey: 'wanted', host: wanted.host, caller: 'b' });
      expect(await queue.submit(joining)).toMatchObject({ state: 'joined', jobId: wanted.jobId });
      running[0]?.finish();
      await poll(() => running.filter(({ job }) => job.jobKey === 'wanted').length).toBe(1);
    });

    test('at a host go to a parked job at the turn of whoever joins it', async () => {
      await work(10);
      const host = 'busy.test';
      for (let index = 0; index < 8; index += 1) await submit('a', { host });
      const wanted = await submit('a', { host, jobKey: 'wanted' });
      await queue.submit(makeJob({ jobKey: 'wanted', host, caller: 'b' }));
      await poll(() => running.length).toBe(2);
      running[0]?.finish();
      await poll(() => running.length).toBe(2);
      running[0]?.finish();
      await poll(() => running.filter(({ job }) => job.jobId === wanted.jobId).length).toBe(1);
      await poll(() => ended.length).toBe(2);
      expect(running.map(({ job }) => job.caller)).toEqual(['a', 'a']);
    });
  });

  describe('what somebody waits for', () => {
    const batch = { isBackground: true } as const;
    const names = () => running.map(({ job }) => job.target);
    const finish = (target: string) => running.find(({ job }) => job.target === target)?.finish();
    const runs = (target: string) => poll(() => names().filter((name) => name === target).length).toBe(1);

    test('begins at once beside its caller’s own batch, up to its share', async () => {
      await work(4);
      await submitMany(20, () => 'a', batch);
      await poll(() => running.length).toBe(4);
      for (const target of ['1', '2', '3', '4', '5']) await submit('a', { target });
      await poll(() => running.length).toBe(8);
      await settle();
      expect(names()).not.toContain('5');
      finish('1');
      await runs('5');
    });

    test('goes first among its caller’s jobs, and every tenth turn is the batch’s', async () => {
      await work(1);
      await submit('a', { target: 'holder', ...batch });
      await runs('holder');
      await submitMany(30, () => 'a', { target: 'batch', ...batch });
      for (let index = 0; index < 20; index += 1) await submit('a', { target: `w${index}` });
      const order: string[] = [];
      for (let turn = 0; turn < 20; turn += 1) {
        await poll(() => names().filter((name) => name !== 'holder').length).toBeGreaterThan(0);
        const next = running.find(({ job }) => job.target !== 'holder');
        order.push(next?.job.target === 'batch' ? 'batch' : 'waited');
        next?.finish();
      }
      expect(order.filter((kind) => kind === 'batch').length).toBeGreaterThanOrEqual(1);
      expect(order.filter((kind) => kind === 'batch').length).toBeLessThanOrEqual(3);
    });

    test('is what a GET joins of its own batch, from then on', async () => {
      await work(2);
      await submitMany(6, () => 'a', batch);
      await submit('a', { target: 'joined', jobKey: 'joined', ...batch });
      await poll(() => running.length).toBe(2);
      await settle();
      expect(names()).not.toContain('joined');
      await queue.submit(makeJob({ jobKey: 'joined', caller: 'a' }));
      await runs('joined');
      expect(running.find(({ job }) => job.target === 'joined')?.job.isBackground).toBe(false);
    });

    test('begins beside ten batches of others, each in its share', async () => {
      await work(5);
      for (let caller = 0; caller < 20; caller += 1) await submitMany(8, () => `token:${caller}`, batch);
      await poll(() => running.length).toBe(10);
      await settle();
      // What nobody waits for has half of all places at most.
      expect(running.length).toBe(10);
      await submitMany(10, (index) => `token:${index}`, { target: 'waited' });
      await poll(() => names().filter((name) => name === 'waited').length).toBe(10);
    });

    test('takes no turn of other callers, whose batches go on', async () => {
      await work(2);
      for (let caller = 0; caller < 8; caller += 1) await submitMany(5, () => `token:${caller}`);
      await poll(() => running.length).toBe(8);
      await submitMany(3, () => 'other', batch);
      await settle();
      expect(countOf('other')).toBe(0);
      // Each of the eight had its last turn before it came.
      for (let turn = 0; turn < 9; turn += 1) {
        running.find(({ job }) => job.caller !== 'other')?.finish();
        await poll(() => running.length).toBe(8);
      }
      expect(countOf('other')).toBe(1);
    });

    test('at a host comes before its caller’s batch, and takes no turn of others', async () => {
      await work(10);
      const host = 'shared.test';
      for (const target of ['b1', 'b2', 'b3', 'b4']) await submit('a', { host, target, ...batch });
      await submit('other', { host, target: 'o1' });
      await submit('other', { host, target: 'o2' });
      await submit('a', { host, target: 'w1' });
      await submit('a', { host, target: 'w2' });
      await poll(() => running.length).toBe(2);
      const order: string[] = [];
      for (const first of ['b1', 'b2']) {
        finish(first);
        await poll(() => running.length).toBe(2);
      }
      order.push(...names().toSorted());
      for (const target of names()) finish(target);
      await poll(() => running.length).toBe(2);
      expect([order, names().toSorted()]).toEqual([
        ['o1', 'w1'],
        ['o2', 'w2'],
      ]);
    });
  });

  describe('a run that gives up its slot', () => {
    test('leaves it to others, and has one again at its caller’s turn', async () => {
      await work(1);
      await submit('a');
      await poll(() => running.length).toBe(1);
      const [first] = running;
      await submit('a', { target: 'second' });
      await settle();
      expect(running.length).toBe(1);
      first?.slot.release();
      await poll(() => running.length).toBe(2);
      let isBack = false;
      const back = first?.slot.retake(new AbortController().signal).then(() => {
        isBack = true;
      });
      await settle();
      expect(isBack).toBe(false);
      running.find((entry) => entry !== first)?.finish();
      await back;
      expect(isBack).toBe(true);
      first?.finish();
      await poll(() => ended.length).toBe(2);
    });

    test('and ends without one, leaves nothing behind', async () => {
      await work(1);
      await submit('a');
      await poll(() => running.length).toBe(1);
      running[0]?.slot.release();
      running[0]?.finish();
      await poll(() => ended.length).toBe(1);
      await submitMany(2, () => 'a');
      await poll(() => running.length).toBe(1);
      await settle();
      expect(running.length).toBe(1);
    });

    test('stops waiting for one when its time is over', async () => {
      await work(1);
      await submit('a');
      await poll(() => running.length).toBe(1);
      const [first] = running;
      first?.slot.release();
      await submitMany(3, () => 'a');
      await poll(() => running.length).toBe(2);
      const reason = new Error('too late');
      await expect(first?.slot.retake(AbortSignal.abort(reason))).rejects.toBe(reason);
      const stop = new AbortController();
      setTimeout(() => stop.abort(reason), 100);
      await expect(first?.slot.retake(stop.signal)).rejects.toBe(reason);
      // Parts of a run share its slot: taken again once, it is there for all of them.
      first?.finish();
      await poll(() => ended.length).toBe(1);
    });
  });

  test('the jobs of a caller are counted: those that run, and those that wait for a slot or for their host', async () => {
    await work(2);
    const me = { caller: 'me', levels: ['account:a'] };
    expect(await queue.jobsOf(me)).toEqual({ running: 0, waiting: 0 });
    const host = 'mine.test';
    for (let index = 0; index < 4; index += 1) await submit('me', { ...me, host });
    await submitMany(2, () => 'me', me);
    await submit('other', { levels: ['account:a'] });
    await expect.poll(() => queue.jobsOf(me), { timeout: 30_000 }).toEqual({ running: 2, waiting: 4 });
    while (ended.length < 7) {
      running[0]?.finish();
      await delay(20);
    }
    await expect.poll(() => queue.jobsOf(me)).toEqual({ running: 0, waiting: 0 });
  });
}
