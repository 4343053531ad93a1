import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Job, type QueueName, queueNames, randomId, readToldJob } from '#shared/model/job';
import { jobsKey, jobsPrefix } from '#shared/queue/scheduler/keys';
import { look } from '#shared/queue/scheduler/look';
import {
  openScheduler,
  type ReadyJob,
  type ReadyQueues,
  type Run,
  type Scheduler,
} from '#shared/queue/scheduler/scheduler';
import { makeJob } from '../contract/job-queue.contract.ts';
import { hasRedis, startRedis, type TestRedis } from '../kit/redis.ts';

const how = (token: string, isAlone = false) => ({ token, isAlone, stalls: 0 });
const hostConcurrency = 2;
const slots = 4;

describe.skipIf(!hasRedis)('the scheduler in Redis', () => {
  let server: TestRedis;
  let redis: Redis;
  let scheduler: Scheduler;
  /** What BullMQ was given, and nobody has begun. */
  let ready: ReadyJob[];
  let events: string[];
  let removed: string[];
  beforeAll(async () => {
    server = await startRedis();
    redis = new Redis(server.url);
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });
  beforeEach(async () => {
    await redis.flushall();
    ready = [];
    events = [];
    removed = [];
    const collect = {
      remove: async (id: string) => void removed.push(id),
      add: async (_name: string, data: ReadyJob) => void ready.push(data),
      addBulk: async (jobs: { data: ReadyJob }[]) => void ready.push(...jobs.map(({ data }) => data)),
    };
    const queues = { network: collect, browser: collect, composite: collect } as unknown as ReadyQueues;
    const limits = { hostConcurrency, hostWaitingLimit: 1000, pageLimit: 100 };
    scheduler = openScheduler(redis, {
      ...limits,
      queues,
      onEvent: (queue, event) => events.push(`${queue} ${event}`),
      doStep: (step) => step(),
    });
    await beat();
  });

  const beat = async () => {
    for (const queue of queueNames) await scheduler.beat(queue, 'one', slots);
  };
  const submit = async (more: Partial<Job> = {}): Promise<Job> => {
    const job = makeJob(more);
    await scheduler.submit(job, undefined);
    return job;
  };
  let tokens = 0;
  const begin = async (from: ReadyJob | undefined): Promise<Run> => {
    tokens += 1;
    const begun = from && (await scheduler.begin(from, how(`token ${tokens}`)));
    if (!begun) throw new Error('no run has begun');
    return { jobId: from.id, hand: from.hand, run: begun.run };
  };
  const placesOf = (group: string) => redis.zcard(jobsKey('at', group));
  const takeReady = () => ready.splice(0);

  describe('a run whose job another one has begun', () => {
    let older: Run;
    let newer: Run;
    beforeEach(async () => {
      await submit({ host: 'a.test' });
      const [handed] = takeReady();
      older = await begin(handed);
      newer = await begin(handed);
    });

    test.for([
      ['end', async () => expect(await scheduler.end(older, 'done', 1)).toBe(false)],
      ['hand the job back', () => scheduler.back(older, 0)],
      ['give its place', () => scheduler.give(older)],
      ['take its place', async () => expect(await scheduler.take(older)).toBeUndefined()],
      ['tell of company', () => scheduler.beside(older)],
    ] as const)('cannot %s', async ([, act]) => {
      await act();
      expect([await placesOf('host a.test'), await placesOf('network'), ready]).toEqual([1, 1, []]);
      expect([await scheduler.holds(older), await scheduler.holds(newer)]).toEqual([false, true]);
      expect(await scheduler.end(newer, 'done', 1)).toBe(true);
      expect([await placesOf('host a.test'), await placesOf('network')]).toEqual([0, 0]);
    });
  });

  test('a run that is asked for twice by one worker, as its answer was lost, is one run', async () => {
    await submit();
    const [handed] = takeReady();
    if (!handed) throw new Error('nothing was handed out');
    const [first, second] = [
      await scheduler.begin(handed, how('same')),
      await scheduler.begin(handed, how('same')),
    ];
    expect([first?.run, second?.run, second?.lost]).toEqual([1, 1, 0]);
  });

  test('an earlier turn of a job is no longer one', async () => {
    await submit();
    const [handed] = takeReady();
    await scheduler.back(await begin(handed), 0);
    const [again] = takeReady();
    expect([again?.id, again?.hand]).toEqual([handed?.id, 2]);
    expect(handed && (await scheduler.begin(handed, how('late')))).toBeUndefined();
    await begin(again);
  });

  test('what was handed out and not begun is handed out again once its lease has ended', async () => {
    const job = await submit();
    takeReady();
    await redis.zadd(jobsKey('handed', 'network'), 1, job.jobId);
    await beat();
    expect(ready).toMatchObject([{ id: job.jobId, hand: 2, lost: 0, host: 'a.test', class: 'known' }]);
    expect(removed).toEqual([`${job.jobId}.1`]);
  });

  test('an end whose id was told is remembered for ten minutes, and the oldest goes where they take too much', async () => {
    const end = async (isTold: boolean) => {
      const job = await submit({ host: `${randomId()}.test` });
      if (isTold) await scheduler.tell(job.jobId, JSON.stringify(readToldJob(job)));
      await scheduler.end(await begin(takeReady()[0]), 'done', 5);
      return { job, leftMs: await redis.pttl(jobsKey('job', job.jobId)) };
    };
    const [told, untold] = [await end(true), await end(false)];
    expect([told.leftMs, untold.leftMs].map((ms) => Math.round(ms / 60_000))).toEqual([10, 1]);
    const stateOf = async ({ job }: typeof told) => (await look(redis, job.jobId, Date.now())).state;
    expect([await stateOf(told), await stateOf(untold)]).toEqual(['done', 'done']);
    // Told after its end, it is remembered as long.
    await scheduler.tell(untold.job.jobId, JSON.stringify(readToldJob(untold.job)));
    expect(await redis.pttl(jobsKey('job', untold.job.jobId))).toBeGreaterThan(500_000);
    await redis.set(jobsKey('keptbytes'), 64 * 1024 * 1024);
    const last = await end(true);
    expect([await stateOf(told), await stateOf(last)]).toEqual(['unknown', 'done']);
  });

  test('what was handed out, is not begun and has no time left expires once its lease has ended', async () => {
    const job = await submit({ startBy: Date.now() + 50 });
    takeReady();
    await delay(100);
    await beat();
    expect(events).toEqual([]);
    await redis.zadd(jobsKey('handed', 'network'), 1, job.jobId);
    await beat();
    expect([ready, events]).toEqual([[], ['network expired']]);
    expect(await look(redis, job.jobId, Date.now())).toMatchObject({ state: 'expired' });
  });

  test('what has not begun soon is given to BullMQ once more under its number', async () => {
    const [one, other] = [await submit({ host: 'a.test' }), await submit({ host: 'b.test' })];
    await begin(takeReady().find(({ id }) => id === other.jobId));
    await beat();
    expect(ready).toEqual([]);
    await redis.zadd(jobsKey('handed', 'network'), 'XX', Date.now() - 3000, one.jobId);
    await beat();
    expect(takeReady()).toMatchObject([{ id: one.jobId, hand: 1, lost: 0 }]);
    await beat();
    expect(ready).toEqual([]);
  });

  test('a run that lasts longer than it may was lost, and one that was lost too often is told so', async () => {
    const job = await submit();
    for (const lost of [0, 1, 2, 3, 4]) {
      const [handed] = takeReady();
      expect(handed?.lost).toBe(lost);
      const begun = handed && (await scheduler.begin(handed, how(`run ${lost}`)));
      expect([begun?.lost, begun?.isLost]).toEqual([lost, lost >= 4]);
      await redis.zadd(jobsKey('running', 'network'), 1, job.jobId);
      await beat();
    }
  });

  test('a job that was alone when it lost its worker is lost after two; one that got company is not', async () => {
    const lostAfter = async (hasCompany: boolean) => {
      const job = await submit({ host: `${hasCompany}.test` });
      for (let lost = 0; ; lost += 1) {
        const [handed] = takeReady();
        const begun = handed && (await scheduler.begin(handed, how(`run ${lost}`, true)));
        if (!begun) throw new Error('no run has begun');
        if (begun.isLost) return lost;
        if (hasCompany) await scheduler.beside({ jobId: job.jobId, hand: handed?.hand ?? 0, run: begun.run });
        await redis.zadd(jobsKey('running', 'network'), 1, job.jobId);
        await beat();
      }
    };
    expect([await lostAfter(false), await lostAfter(true)]).toEqual([2, 4]);
  });

  test('without a living worker nothing is taken', async () => {
    await redis.zadd(jobsKey('alive', 'network'), 1, 'one');
    await expect(submit()).rejects.toMatchObject({ code: 'queue_unavailable' });
    expect(await redis.keys(jobsKey('job', '*'))).toEqual([]);
    expect(await redis.keys(jobsKey('key', '*'))).toEqual([]);
  });

  test('what nobody else wants leaves; what another wants goes on at that one’s turn', async () => {
    for (let index = 0; index < slots; index += 1) await submit({ caller: 'busy', host: `h${index}.test` });
    const many = { caller: 'many', isAnonymous: true };
    for (let index = 0; index < slots; index += 1) await submit({ ...many, host: `m${index}.test` });
    const other = await submit({ ...many, host: 'b.test', requestId: 'one' });
    const both = await submit({ ...many, host: 'c.test', requestId: 'one' });
    for (let index = 0; index < 3 * slots; index += 1)
      await submit({ caller: 'few', host: `g${index}.test` });
    const turnOf = async ({ jobId }: Job) => redis.zrank(jobsKey('own', 'network|anonymous|many'), jobId);
    expect([await turnOf(other), await turnOf(both)]).toEqual([0, 1]);
    await scheduler.submit(
      { ...both, jobId: makeJob().jobId, requestId: 'two', caller: 'few', isAnonymous: false },
      undefined,
    );
    expect(await scheduler.withdraw(other)).toBe('left');
    expect(await scheduler.withdraw(other)).toBeUndefined();
    expect(await scheduler.withdraw(both)).toBe('stays');
    expect(await turnOf(both)).toBeNull();
    expect(await redis.zrank(jobsKey('own', 'network|known|few'), both.jobId)).not.toBeNull();
    expect(await scheduler.withdraw({ ...both, requestId: 'nobody' })).toBeUndefined();
    expect(await scheduler.withdraw({ ...both, requestId: 'two' })).toBe('left');
    expect(await redis.keys(jobsKey('own', 'network|anonymous|*'))).toEqual([]);
  });

  test('a run that ends before it has a number is ended by its turn, and by no other', async () => {
    const job = await submit();
    const [handed] = takeReady();
    const run = { jobId: job.jobId, hand: handed?.hand ?? 0, run: 0 };
    expect(await scheduler.end({ ...run, hand: 2 }, 'done', 1)).toBe(false);
    expect(await scheduler.end(run, 'done', 1)).toBe(true);
    expect(await scheduler.end(run, 'done', 1)).toBe(false);
    expect(await placesOf('network')).toBe(0);
  });

  test('what BullMQ saw lost counts, though it never had a number', async () => {
    await submit();
    const [handed] = takeReady();
    const begun = handed && (await scheduler.begin(handed, { ...how('second'), stalls: 1 }));
    expect(begun).toEqual({ run: 1, lost: 1, isLost: false });
  });

  test('every key has an end', async () => {
    await fillLines();
    const keys = await redis.keys(`${jobsPrefix}:*`);
    expect(keys.length).toBeGreaterThan(20);
    const endless = [];
    for (const key of keys) if ((await redis.pttl(key)) < 0) endless.push(key);
    expect(endless).toEqual([]);
  });

  /** Jobs in every state. */
  async function fillLines(): Promise<Run[]> {
    for (const caller of ['a', 'b', 'c'])
      for (let index = 0; index < 8; index += 1)
        await submit({
          caller,
          levels: [`net ${caller}`],
          host: `h${index % 3}.test`,
          isAnonymous: caller !== 'a',
        });
    for (let index = 0; index < 20; index += 1) await submit({ caller: 'd', host: `own-${index}.test` });
    await submit({ queue: 'browser', host: 'h0.test' });
    await submit({ queue: 'browser', host: 'h0.test' });
    await submit({ queue: 'composite' });
    const runs = [];
    for (const handed of takeReady().slice(0, 5)) runs.push(await begin(handed));
    const [first, second] = runs;
    if (first) await scheduler.give(first);
    if (second) await scheduler.back(second, 5000);
    return runs;
  }

  /** Runs all that is handed out, until nothing is left; returns the ids of what ran. */
  async function drain(): Promise<Set<string>> {
    const ran = new Set<string>();
    for (let idle = 0; idle < 3;) {
      const handed = takeReady();
      idle = handed.length === 0 ? idle + 1 : 0;
      for (const one of handed) {
        const begun = await scheduler.begin(one, how(`drain ${ran.size} ${one.id}`));
        if (!begun) continue;
        ran.add(one.id);
        await scheduler.end({ jobId: one.id, hand: one.hand, run: begun.run }, 'done', 1);
      }
      // Time goes by.
      const leases = ['handed', 'running'].flatMap((list) => queueNames.map((queue) => jobsKey(list, queue)));
      const ending = [...leases, jobsKey('asleep'), ...(await redis.keys(jobsKey('at', '*')))];
      for (const key of ending)
        for (const id of await redis.zrange(key, '0', '-1')) await redis.zadd(key, 1, id);
      await beat();
    }
    return ran;
  }

  test('a record that is gone stops nothing: the others have their turns', async () => {
    await fillLines();
    const ids = (await redis.keys(jobsKey('job', '*'))).map((key) => key.slice(jobsKey('job', '').length));
    const gone = ids.filter((_, index) => index % 2 === 0);
    await redis.del(gone.map((id) => jobsKey('job', id)));
    await beat();
    const ran = await drain();
    expect(ids.filter((id) => !gone.includes(id) && !ran.has(id))).toEqual([]);
    for (const queue of queueNames)
      for (const list of ['waits', 'parks', 'handed', 'running'])
        expect(
          (await redis.zrange(jobsKey(list, queue), '0', '-1')).filter((id) => !gone.includes(id)),
        ).toEqual([]);
  });

  test.for([
    'at:*',
    'line:*',
    'kids:*',
    'own:*',
    'mine:*',
    'host:*',
    'tags:*',
    'late',
    'waits:*',
    'turn',
    'key:*',
  ])('others remove %s: every job has its turn, and nobody is left with a place', async (name) => {
    await fillLines();
    const ids = (await redis.keys(jobsKey('job', '*'))).map((key) => key.slice(jobsKey('job', '').length));
    const evicted = await redis.keys(jobsKey(name));
    expect(evicted.length).toBeGreaterThan(0);
    await redis.del(evicted);
    for (let beats = 0; beats < 5; beats += 1) await beat();
    const ran = await drain();
    expect(ids.filter((id) => !ran.has(id))).toEqual([]);
    const left = await redis.keys(`${jobsPrefix}:*`);
    expect(left.filter((key) => /:(?:at|line|own|host|handed|running|asleep|late):?/.test(key))).toEqual([]);
  });

  test('whatever processes do and however they end: limits hold, no job is lost, nothing is left', async () => {
    const random = seeded(7);
    const pickOne = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
    const submitted: Job[] = [];
    const ended = new Set<string>();
    let runs: Run[] = [];
    const acts: Record<string, () => Promise<unknown>> = {
      async submit() {
        const queue =
          pickOne<QueueName>(['network', 'network', 'network', 'browser', 'composite']) ?? 'network';
        const isAnonymous = random() < 0.5;
        const caller = `c${Math.floor(random() * 6)}`;
        const job = makeJob({
          queue,
          host: `h${Math.floor(random() * 4)}.test`,
          caller,
          levels: [`l${caller.length % 2}`],
          isAnonymous,
          requestId: `r${Math.floor(random() * 3)}`,
          ...(random() < 0.3 ? { jobKey: `shared ${Math.floor(random() * 5)}` } : {}),
        });
        if ((await scheduler.submit(job, undefined)).jobId === job.jobId) submitted.push(job);
      },
      async begin() {
        const [handed] = ready.splice(Math.floor(random() * ready.length), 1);
        const begun = handed && (await scheduler.begin(handed, how(`t ${tokens++}`, random() < 0.2)));
        if (begun) runs.push({ jobId: handed.id, hand: handed.hand, run: begun.run });
        // BullMQ may hand it out once more.
        if (handed && random() < 0.1) ready.push(handed);
      },
      async end() {
        const run = pickOne(runs);
        if (!run) return;
        runs = runs.filter((one) => one !== run || random() < 0.1);
        if (await scheduler.end(run, 'done', 1)) {
          expect(ended.has(run.jobId)).toBe(false);
          ended.add(run.jobId);
        }
      },
      async give() {
        const run = pickOne(runs);
        if (run) await scheduler.give(run);
      },
      async take() {
        const run = pickOne(runs);
        if (run) await scheduler.take(run);
      },
      async back() {
        const run = pickOne(runs);
        if (run) await scheduler.back(run, random() < 0.5 ? 0 : 3000);
      },
      async withdraw() {
        const job = pickOne(submitted);
        if (!job) return;
        // A later job may have its key by now.
        const jobId = await redis.get(jobsKey('key', job.jobKey));
        if ((await scheduler.withdraw(job)) === 'left') ended.add(jobId ?? '');
      },
      beat,
    };
    const names = [
      'submit',
      'submit',
      'begin',
      'begin',
      'end',
      'end',
      'give',
      'take',
      'back',
      'withdraw',
      'beat',
    ];
    for (let step = 0; step < 4000; step += 1) {
      await acts[pickOne(names) ?? 'beat']?.();
      if (step % 20 > 0) continue;
      for (let host = 0; host < 4; host += 1) {
        expect(await placesOf(`host h${host}.test`)).toBeLessThanOrEqual(hostConcurrency);
        expect(await placesOf(`page h${host}.test`)).toBeLessThanOrEqual(1);
      }
      // A run that was lost while it was away has its place again at once.
      expect(await placesOf('network')).toBeLessThanOrEqual(4 * slots + runs.length);
      expect(await placesOf('browser')).toBeLessThanOrEqual(slots + runs.length);
    }
    for (const id of await drain()) ended.add(id);
    expect(submitted.filter(({ jobId }) => !ended.has(jobId)).map(({ jobId }) => jobId)).toEqual([]);
    const left = await redis.keys(`${jobsPrefix}:*`);
    expect(
      left.filter(
        (key) =>
          !/:(?:job|ended|kept|turn|looked|ping|wake):|:(?:alive|offers|slots|kept|turn|looked)/.test(key),
      ),
    ).toEqual([]);
  }, 60_000);
});

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}
