import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Fleet, get, type Member, openFleet } from '../../faults/fleet.ts';
import { dumpMongo, restoreMongo } from '../../kit/mongo-copy.ts';
import { hasMongo, startMongo, type TestMongo, withOptions } from '../../kit/mongo.ts';
import { hasRedis } from '../../kit/redis.ts';

/** Reports in the store beside those that are looked at. */
const crowd = Number(process.env['BACKUP_REPORTS'] ?? 1000);
/** What a copy holds is the question here, not how soon a busy machine answers. */
const patient = { serverSelectionTimeoutMS: '20000', connectTimeoutMS: '20000', socketTimeoutMS: '20000' };
const targets = ['http://t0.test/', 'http://t1.test/', 'http://t2.test/'];

describe.skipIf(!(hasRedis && hasMongo))('a copy of MongoDB, made while the service runs', () => {
  let fleet: Fleet;
  let restored: TestMongo;
  let visits = 0;
  const folder = mkdtempSync(join(tmpdir(), 'diag-backup-'));
  beforeAll(async () => {
    [fleet, restored] = await Promise.all([
      openFleet({
        hosts: 4,
        answer: (_request, response) => {
          visits += 1;
          response.writeHead(204).end();
        },
        settings: { FRESH_SECONDS: '3600' },
      }),
      startMongo(),
    ]);
  }, 60_000);
  afterAll(async () => {
    await fleet?.close();
    await restored?.stop();
    rmSync(folder, { recursive: true });
  });

  // Asked again as its answer says, while the store is too busy to answer in time.
  const diag = async (mongoUrl: string, ...args: string[]): Promise<string> => {
    const MONGODB_URL = withOptions(mongoUrl, patient);
    const env = { PATH: process.env['PATH'] ?? '', REDIS_URL: fleet.redis.url, MONGODB_URL };
    for (let tries = 1; ; tries += 1) {
      try {
        return (await promisify(execFile)(process.execPath, ['cli/diag.js', ...args], { env })).stdout;
      } catch (error) {
        if (tries === 5 || !String(error).includes('store_unavailable')) throw error;
        await after(2000);
      }
    }
  };
  const textOf = async (path: string, token: string, api: Member) => {
    const answer = await fetch(`${api.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    return `${answer.status} ${await answer.text()}`;
  };

  test('gives reports, grants, tokens and evidence on another server, without a new run', async () => {
    const [api] = await Promise.all([fleet.startApi(), fleet.startWorker()]);
    const token = (await diag(fleet.mongo.url, 'token', 'create', '--name', 'reader')).trim();
    const headers = { authorization: `Bearer ${token}` };
    await fleet.ask(() => api, targets[0] ?? '', {}, headers);
    const given = await Promise.all(targets.map((target) => get(api, target, '', headers)));
    expect(given.map(({ status }) => status)).toEqual([200, 200, 200]);
    const ids = given.map(({ body }) => String(body['reportId']));
    const paths = [...ids.map((id) => `/api/reports/${id}`), '/api/reports'];
    const evidenceOf = (mongoUrl: string) => Promise.all(ids.map((id) => diag(mongoUrl, 'evidence', id)));
    // It is written soon after its report.
    const evidence = await expect
      .poll(() => evidenceOf(fleet.mongo.url).catch(() => undefined), { timeout: 30_000, interval: 500 })
      .not.toBeUndefined()
      .then(() => evidenceOf(fleet.mongo.url));
    await fillUp(fleet.mongo.url);
    const before = await Promise.all(paths.map((path) => textOf(path, token, api)));

    expect(before.map((text) => text.slice(0, 3))).toEqual(paths.map(() => '200'));
    const dumped = await timed(() => dumpMongo(fleet.mongo.url, folder));
    await fleet.mongo.stop();
    const put = await timed(() => restoreMongo(restored.url, folder));
    expect(put.documents).toBe(dumped.documents);
    const redis = new Redis(fleet.redis.url);
    await redis.flushall();
    redis.disconnect();
    const seen = visits;
    // No worker is there: what is answered is from the copy.
    const other = await fleet.startApi({ MONGODB_URL: restored.url });
    expect(await Promise.all(paths.map((path) => textOf(path, token, other)))).toEqual(before);
    const again = await Promise.all(targets.map((target) => get(other, target, '', headers)));
    expect(again.map(({ status, body }) => [status, body['reportId']])).toEqual(ids.map((id) => [200, id]));
    expect(await evidenceOf(restored.url)).toEqual(evidence);
    expect((await textOf(paths[0] ?? '', 'dtk_unknown', other)).slice(0, 3)).toBe('401');
    expect(visits).toBe(seen);
    console.log(
      `${dumped.documents} documents, ${(dumped.bytes / 1e6).toFixed(1)} MB: copied in ${dumped.tookS.toFixed(1)} s, restored in ${put.tookS.toFixed(1)} s`,
    );
  }, 150_000);
});

/** Adds as many copies of a report and its evidence as a store of some age has. Of grants the tests' server reads all to find an account's. */
async function fillUp(url: string): Promise<void> {
  const client = new MongoClient(url);
  for (const name of ['reports', 'blobs']) {
    const collection = client.db().collection<{ _id: string }>(name);
    const [first] = await collection.find({}).limit(1).toArray();
    if (!first) throw new Error(`nothing in ${name}`);
    // Of questions that nobody asks here.
    const copies = Array.from({ length: crowd }, (_, index) => ({
      ...first,
      _id: `copy-${index}`,
      ...('jobKey' in first ? { jobKey: `copy-${index}` } : {}),
    }));
    await collection.insertMany(copies);
  }
  await client.close();
}

async function timed<T extends object>(act: () => Promise<T>): Promise<T & { readonly tookS: number }> {
  const start = performance.now();
  const done = await act();
  return { ...done, tookS: (performance.now() - start) / 1000 };
}
