import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Job } from '#shared/model/job';
import type { Done, JobQueue, RunJob, Slot } from '#shared/ports/job-queue';
import { hostBeside, makeJob, type OpenQueue, queueLimits } from './job-queue.contract.ts';

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
  const work = (slots: number) => queue.work('network', slots, run, async () => undefined);
  let hosts = 0;
  /** A job of a host of its own, in the same part of a divided queue as the others. */
  const submit = async (caller: string, more: Partial<Job> = {}) => {
    hosts += 1;
    const job = makeJob({ host: hostBeside(`h${hosts}`), caller, ...more });
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
      work(6);
      await submitMany(10, () => 'a');
      await poll(() => running.length).toBe(6);
      await settle();
      expect(running.length).toBe(6);
    });

    test('never make a caller wait for runs of others that end late', async () => {
      work(6);
      await submitMany(20, () => 'a');
      await poll(() => running.length).toBe(6);
      await submit('b');
      await poll(() => countOf('b')).toBe(1);
      expect(ended).toEqual([]);
    });

    test('give callers with backlogs equal shares, however long their runs are', async () => {
      work(4);
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
      work(4);
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
      work(4);
      await submitMany(100, (index) => `token:${index % 50}`, { levels: ['account:a'] });
      await settle();
      expect(running.length).toBeLessThanOrEqual(8);
      await submit('token:other', { levels: ['account:b'] });
      await poll(() => countOf('token:other')).toBe(1);
    });

    test('leave callers without a token half of the slots while a known caller waits', async () => {
      work(4);
      await submitMany(8, (index) => `192.0.${index}.1`, { isAnonymous: true });
      await submitMany(12, () => 'token:a', { levels: ['account:a'] });
      await settle();
      // None of what runs is ended for it: the next slots are the known caller's.
      while (countAnonymous() > 0) {
        const before = countAnonymous();
        running.find(({ job }) => job.isAnonymous === true)?.finish();
        await settle();
        expect(countAnonymous()).toBeLessThanOrEqual(Math.max(2, before - 1));
        if (before <= 2) break;
      }
      expect(countOf('token:a')).toBeGreaterThanOrEqual(2);
    });

    test('count occupied time: of callers that hold as many slots, the one that had them for the shortest time is next', async () => {
      const started = async (caller: string) => {
        await submit(caller);
        await poll(() => countOf(caller)).toBe(1);
        return running.find(({ job }) => job.caller === caller);
      };
      work(1);
      const slow = await started('slow');
      const quick = await started('quick');
      const [holder] = [await started('first'), await started('second')];
      await delay(300);
      // The slow one has held its slot for longer than the quick one, however busy the machine is.
      quick?.finish();
      await started('third');
      slow?.finish();
      await started('fourth');
      await submit('slow');
      await submit('quick');
      expect([countOf('slow'), countOf('quick')]).toEqual([0, 0]);
      holder?.finish();
      await poll(() => countOf('quick') + countOf('slow')).toBe(1);
      expect(countOf('quick')).toBe(1);
    });

    test('go to a parked job at the turn of whoever joins it', async () => {
      work(1);
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
      work(10);
      const host = hostBeside('busy');
      for (let index = 0; index < 8; index += 1) await submit('a', { host });
      const wanted = await submit('a', { host, jobKey: 'wanted' });
      await queue.submit(makeJob({ jobKey: 'wanted', host, caller: 'b' }));
      await poll(() => running.length).toBe(2);
      running[0]?.finish();
      await poll(() => running.length).toBe(2);
      running[0]?.finish();
      await poll(() => running.filter(({ job }) => job.jobId === wanted.jobId).length).toBe(1);
      expect(ended.length).toBe(2);
    });
  });

  describe('a run that gives up its slot', () => {
    test('leaves it to others, and has one again at its caller’s turn', async () => {
      work(1);
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
      work(1);
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
      work(1);
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
    const crew = work(2);
    // What begins before the slots are known is not counted.
    await expect.poll(() => crew.isAnnounced?.() ?? true, { timeout: 30_000 }).toBe(true);
    const me = { caller: 'me', levels: ['account:a'] };
    expect(await queue.jobsOf(me)).toEqual({ running: 0, waiting: 0 });
    const host = hostBeside('mine');
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
