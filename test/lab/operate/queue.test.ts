import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Job } from '#shared/model/job';
import type { JobQueue } from '#shared/ports/job-queue';
import { jobsKey } from '#shared/queue/scheduler/keys';
import { announced, makeJob } from '../../contract/job-queue.contract.ts';
import { openBullmqQueue } from '../../kit/bullmq-queue.ts';
import { hasRedis, startRedis, type TestRedis } from '../../kit/redis.ts';

type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };

describe.skipIf(!hasRedis)('diag queue', () => {
  let server: TestRedis;
  let queue: JobQueue;
  let ended: string[];
  beforeAll(async () => {
    server = await startRedis();
  });
  beforeEach(async () => {
    queue = await openBullmqQueue(server, { hostConcurrency: 2, hostWaitingLimit: 100 });
    ended = [];
    queue.onDone((done) => done !== 'missed' && ended.push(`${done.state} ${done.jobId}`));
  });
  afterEach(() => queue.close(0));
  afterAll(() => server.stop());

  const diag = async (...args: string[]): Promise<Ended> => {
    const env = {
      PATH: process.env['PATH'] ?? '',
      REDIS_URL: server.url,
      MONGODB_URL: 'mongodb://127.0.0.1:1/none',
      DATA_DIR: ':memory:',
      HOST_CONCURRENCY: '2',
    };
    try {
      const done = await promisify(execFile)(process.execPath, ['cli/diag.js', 'queue', ...args], { env });
      return { ...done, code: 0 };
    } catch (error) {
      return error as Ended;
    }
  };
  /** Submits so many jobs of a host. */
  const submitted = async (count: number, more: Partial<Job> = {}): Promise<Job[]> => {
    const jobs = Array.from({ length: count }, () => makeJob(more));
    for (const job of jobs) await queue.submit(job);
    return jobs;
  };
  const startWorker = () => {
    const ran: string[] = [];
    queue.work(
      'network',
      10,
      async ({ jobId }) => void ran.push(jobId),
      async () => undefined,
    );
    return ran;
  };
  /** Of ten slots, whose runs end when they are told to. */
  const startHeldWorker = async () => {
    const until = Promise.withResolvers<undefined>();
    let running = 0;
    const run = () => {
      running += 1;
      return until.promise;
    };
    await announced(queue.work('network', 10, run, async () => undefined));
    return { running: () => running, finish: () => until.resolve(undefined) };
  };
  const why = async (job: Job | undefined) => (await diag('why', job?.jobId ?? '')).stdout;

  test('list shows counts, the lines of hosts and the jobs', async () => {
    const held = await startHeldWorker();
    await submitted(5, { host: 'a.test' });
    await submitted(1, { host: 'b.test' });
    await expect.poll(() => held.running()).toBe(3);
    const { stdout } = await diag('list', '-o', 'json');
    const { counts, hosts, jobs } = JSON.parse(stdout) as Record<string, unknown> & { jobs: object[] };
    expect(counts).toMatchObject({ network: { waiting: 0, parked: 3, running: 3 } });
    expect(hosts).toMatchObject([
      { host: 'a.test', holders: [expect.any(String), expect.any(String)], waitingNetwork: 3 },
      { host: 'b.test', holders: [expect.any(String)], waitingNetwork: 0 },
    ]);
    expect(jobs).toHaveLength(6);
    expect((await diag('list')).stdout).toContain(
      'host a.test: 2 places held, 3 network and 0 browser jobs waiting',
    );
    held.finish();
  });

  test('why says what a job waits for', async () => {
    const [early] = await submitted(1, { host: 'early.test' });
    expect(await why(early)).toContain("It waits for its caller's turn, at place 1");
    const held = await startHeldWorker();
    await expect.poll(() => held.running()).toBe(1);
    const [first, , third, fourth] = await submitted(4);
    await expect.poll(() => held.running()).toBe(3);
    await expect.poll(() => why(first)).toContain('It runs: 0 of 1 questions are answered');
    expect(await why(third)).toContain(`at place 1. The places of this host are held by `);
    expect(await why(fourth)).toContain('at place 2');
    held.finish();
    await expect.poll(() => ended).toHaveLength(5);
    await queue.close(0);
    queue = await openBullmqQueue(server, { hostConcurrency: 2, hostWaitingLimit: 100 });
    const [alone] = await submitted(1);
    const redis = new Redis(server.url);
    await redis.del(jobsKey('alive', 'network'));
    redis.disconnect();
    expect(await why(alone)).toContain('No worker serves the queue network.');
    expect(await diag('why', 'nosuch')).toMatchObject({ code: 2, stdout: '' });
  });

  test('a job that ran is told as done, with its report', async () => {
    const ran = startWorker();
    const [job] = await submitted(1);
    await expect.poll(() => ended).toEqual([`done ${job?.jobId}`]);
    expect(await why(job)).toContain(`It is done. Its report is ${job?.reportId}.`);
    expect(ran).toEqual([job?.jobId]);
  });

  test('of a job whose id was told its end is known, and it is asked for anew by its URL', async () => {
    const [job] = await submitted(1);
    if (job) await queue.tell(job);
    startWorker();
    await expect.poll(() => ended).toHaveLength(1);
    expect(await why(job)).toContain(`It is done. Its report is ${job?.reportId}.`);
    expect(await diag('retry', job?.jobId ?? '')).toMatchObject({ code: 2 });
  });

  test('retry starts a job that has ended again, under another id', async () => {
    const ran = startWorker();
    const [job] = await submitted(1);
    await expect.poll(() => ended).toHaveLength(1);
    const { stdout } = await diag('retry', job?.jobId ?? '');
    await expect.poll(() => ended).toHaveLength(2);
    expect(stdout).toBe(`${ran[1]}: admitted\n`);
    expect(ran[1]).not.toBe(job?.jobId);
  });

  test('drop takes a job out of the queue and the line, tells its callers, and lets the next one in', async () => {
    const [first, second, third] = await submitted(3);
    expect((await diag('drop', first?.jobId ?? '')).stdout).toBe(`${first?.jobId}: dropped\n`);
    await expect.poll(() => ended).toEqual([`expired ${first?.jobId}`]);
    expect(await queue.look(first?.jobId ?? '')).toEqual({ state: 'unknown' });
    const ran = startWorker();
    await expect.poll(() => ran.toSorted()).toEqual([second?.jobId, third?.jobId].toSorted());
    expect(await diag('drop', second?.jobId ?? '')).toMatchObject({ code: 2 });
    // Its key is free: the same question is new work.
    expect(await queue.submit(makeJob({ jobKey: first?.jobKey ?? '' }))).toMatchObject({ state: 'admitted' });
  });

  test('drain drops all that waits of one queue, and of all', async () => {
    await submitted(30);
    await submitted(2, { queue: 'composite', host: 'c.test' });
    expect((await diag('drain', '--queue', 'network')).stdout).toBe('30 jobs dropped\n');
    expect((await diag('drain')).stdout).toBe('2 jobs dropped\n');
    expect(await queue.stats()).toMatchObject({
      network: { waiting: 0, parked: 0 },
      composite: { waiting: 0 },
    });
    const redis = new Redis(server.url);
    expect(await redis.keys(jobsKey('host', '*'))).toEqual([]);
    redis.disconnect();
  });

  test('a paused check takes no slot from the other checks of its host', async () => {
    expect((await diag('pause', 'ssl-check')).stdout).toMatch(/^check ssl-check: paused until \d{4}-/);
    const held = await submitted(6, { host: 'a.test', check: 'ssl-check' });
    const ran = startWorker();
    const [other] = await submitted(1, { host: 'a.test' });
    await expect.poll(() => ran).toEqual([other?.jobId]);
    await expect.poll(() => why(held[0])).toContain('The check ssl-check is paused for another ');
    expect((await diag('list')).stdout).toMatch(/paused until .*: check ssl-check/);
    expect((await diag('resume', 'ssl-check')).code).toBe(0);
    expect(await diag('resume', 'ssl-check')).toMatchObject({ code: 2 });
    await expect
      .poll(() => ran.toSorted(), { timeout: 20_000 })
      .toEqual([other, ...held].map((job) => job?.jobId ?? '').toSorted());
  }, 60_000);

  test('a pause ends by itself', async () => {
    await diag('pause', 'redirect-check', '--for', '3s');
    const ran = startWorker();
    await submitted(3, { host: 'a.test' });
    await expect.poll(() => ran, { timeout: 20_000 }).toHaveLength(3);
    expect((await diag('list')).stdout).not.toContain('paused');
  }, 60_000);

  test.for([
    ['a time beyond a day', ['pause', 'ssl-check', '--for', '25h'], /24h at most/],
    ['a time without a unit', ['pause', 'ssl-check', '--for', '60'], /--for/],
    ['a host', ['pause', 'www.example.com'], /no check.*TARGET_DENY_NAMES_FILE/],
    ['a count that is none', ['list', '--most', 'x'], /--most/],
  ] as const)('%s: exit status 2', async ([, args, message]) => {
    const { code, stderr, stdout } = await diag(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });
});

test('a Redis that is away is one line and exit status 5, soon', async () => {
  const env = {
    PATH: process.env['PATH'] ?? '',
    REDIS_URL: 'redis://127.0.0.1:1',
    MONGODB_URL: 'mongodb://127.0.0.1:1',
  };
  const { code, stderr } = (await promisify(execFile)(process.execPath, ['cli/diag.js', 'queue', 'list'], {
    env,
  }).catch((error: unknown) => error)) as Ended;
  expect(code).toBe(5);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});
