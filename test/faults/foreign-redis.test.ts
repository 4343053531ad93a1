import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import type { Job } from '#shared/model/job';
import { makeJob } from '../contract/job-queue.contract.ts';
import { hasMongo } from '../kit/mongo.ts';
import { hasRedis } from '../kit/redis.ts';
import { type Fleet, get, type Member, openFleet } from './fleet.ts';

const messages = [
  'not json',
  '',
  'null',
  '[]',
  '"done"',
  '{}',
  '{"jobKey":1,"jobId":2}',
  '{"jobKey":"k","jobId":"i","queue":"no","host":"h","state":"done","tookMs":1}',
  '{"jobKey":"k","jobId":"i","queue":"network","host":"h","state":"done","tookMs":"long"}',
  `{"jobKey":"${'x'.repeat(100_000)}"}`,
];

/** What the scheduler keeps of a job that it has handed out. */
const recordOf = {
  key: 'k',
  pool: 'network',
  host: 't2.test',
  check: 'redirect-check',
  report: 'r',
  run: 1000,
  by: 1e13,
  seen: 0,
  born: 0,
  seq: 1,
  hand: 1,
  runs: 0,
  open: 0,
  solo: 0,
  at: 'held',
  via: 1,
  who: [{ by: 'x', path: ['known', 'c'] }],
};

/** The warnings of a process with this text. */
const warnings = ({ lines }: Member, text: string) => lines.filter((line) => line.includes(text));

describe.skipIf(!hasRedis || !hasMongo)('another writer in Redis', () => {
  let fleet: Fleet;
  let api: Member;
  let worker: Member;
  const visits: string[] = [];
  afterAll(() => fleet?.close());

  test('kills no listener: messages that are none are dropped, and logged once', async () => {
    fleet = await openFleet({
      hosts: 10,
      settings: { FRESH_SECONDS: '600' },
      answer: (request, response) => {
        visits.push(`${request.headers.host}${request.url}`);
        response.writeHead(204).end();
      },
    });
    [api, worker] = await Promise.all([fleet.startApi(), fleet.startWorker()]);
    const admin = new Redis(fleet.redis.url);
    for (const message of messages) await admin.publish('diag:done', message);
    await expect.poll(() => warnings(api, 'message dropped').length).toBe(1);
    expect((await fleet.ask(() => api, 'http://t0.test/after', {})).body['state']).toBe('complete');
    expect(warnings(api, 'message dropped')).toHaveLength(1);
    expect(warnings(worker, 'message dropped')).toHaveLength(1);
    for (const { process: child } of [api, worker])
      expect([child.exitCode, child.signalCode]).toEqual([null, null]);
    admin.disconnect();
  }, 60_000);

  test('chooses neither key, run limit, queue nor host of a run: such jobs are refused, nobody is visited', async () => {
    const { body } = await fleet.ask(() => api, 'http://t1.test/victim', {});
    const admin = new Redis(fleet.redis.url);
    const queue = new Queue('network', { connection: admin, prefix: 'diag:ready' });
    const lively: Partial<Job> = { target: 'http://t2.test/foreign', host: 't2.test' };
    const foreign: readonly (readonly [name: string, job: Partial<Job> | Record<string, unknown>])[] = [
      ['a key of its own', { jobKey: 'a-key-of-its-own-choosing-' }],
      ['a key that its version does not make', { keyVersion: 'mine', jobKey: 'a-key-of-its-own-choosing-' }],
      ['an endless run', { runLimitMs: 1e9 }],
      ['another queue', { queue: 'browser' }],
      ['another host', { host: 't3.test' }],
      ['a check that is none', { check: 'format-disk' }],
      ['no target', { target: undefined }],
      ['options of no check', { options: { depth: 1e9 } }],
      ['wanted that is text', { wanted: 'all' }],
    ];
    const ids: string[] = [];
    for (const [name, more] of foreign) {
      const job = { ...makeJob(lively), ...more };
      const { jobId } = job;
      const record = { ...recordOf, id: jobId, ...(name === 'no target' ? { by: 'never' } : {}) };
      await admin.hset(`diag:jobs:job:${jobId}`, { r: JSON.stringify(record), d: JSON.stringify(job) });
      await queue.add(name, { id: jobId, hand: 1, lost: 0 }, { jobId, removeOnComplete: true });
      ids.push(jobId);
    }
    // Not even JSON, as BullMQ keeps it.
    await admin.hset('diag:ready:network:broken', {
      name: 'x',
      data: 'not json',
      opts: '{}',
      timestamp: '1',
    });
    await admin.lpush('diag:ready:network:wait', 'broken');
    await expect
      .poll(
        async () =>
          (await Promise.all(ids.map((id) => queue.getJobState(id)))).filter((state) => state === 'unknown')
            .length,
      )
      .toBe(foreign.length);
    expect((await fleet.ask(() => api, 'http://t4.test/after', {})).body['state']).toBe('complete');
    expect(visits.filter((visit) => visit.includes('foreign'))).toEqual([]);
    expect((await get(api, 'http://t1.test/victim')).body['reportId']).toBe(body['reportId']);
    expect(await fleet.leftovers()).toMatchObject({ slots: 0, parked: 0, reports: 3 });
    const told = [...warnings(worker, 'job refused'), ...warnings(worker, 'job dropped')];
    const faults = told.map((line) => (JSON.parse(line) as { fault: string }).fault);
    expect(new Set(faults).size).toBe(faults.length);
    expect(faults.toSorted()).toEqual([
      'check',
      'host',
      'jobKey',
      'options',
      'queue',
      'runLimitMs',
      'target',
      'wanted',
    ]);
    await queue.close();
    admin.disconnect();
  }, 60_000);
});
