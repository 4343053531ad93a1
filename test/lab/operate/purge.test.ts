import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { targetMatcher } from '#shared/stores/reports/purge';
import { type Fleet, openFleet } from '../../faults/fleet.ts';
import { hasMongo } from '../../kit/mongo.ts';
import { hasRedis } from '../../kit/redis.ts';
import { type ServiceProcess, startService } from '../../kit/service-process.ts';
import { type Lab, openLab } from '../kit/lab.ts';

test.for([
  ['a.test', 'a.test', true],
  ['a.test', 'www.a.test', true],
  ['a.test', 'https://www.a.test:8443/x', true],
  ['a.test', 'aa.test', false],
  ['a.test', 'https://b.test/a.test', false],
  ['https://a.test/x', 'https://a.test/x', true],
  ['https://a.test/x', 'https://a.test/xy', false],
  ['https://a.test/', 'a.test', false],
] as const)('%s: is %s meant? %s', ([name, target, isMeant]) => {
  expect(targetMatcher(name)(target)).toBe(isMeant);
});

type Reached = { readonly status: number; readonly reportId: string; readonly cacheStatus: string | null };
type Settings = Readonly<Record<string, string>>;

async function ask(url: string, target: string, token?: string): Promise<Reached> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/api/tools/redirect-check?url=${encodeURIComponent(target)}`, {
    headers,
  });
  const { reportId = '' } = (await response.json()) as { reportId?: string };
  return { status: response.status, reportId, cacheStatus: response.headers.get('cache-status') };
}

async function statusOf(url: string, reportId: string, token: string | undefined): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${url}/api/reports/${reportId}`, { headers })).status;
}

async function diag(settings: Settings, ...args: string[]) {
  const env = { PATH: process.env['PATH'] ?? '', ...settings };
  return (await promisify(execFile)(process.execPath, ['cli/diag.js', ...args], { env })).stdout;
}

type Opened = {
  readonly url: string;
  readonly settings: Settings;
  /** Makes all that is stored older by eight days. */
  readonly age: () => Promise<void>;
};

/** What both kinds of store promise, with a running API before each. */
function purgeContract(open: () => Promise<Opened>) {
  let url: string;
  let settings: Settings;
  let age: Opened['age'];
  beforeAll(async () => {
    ({ url, settings, age } = await open());
  }, 60_000);

  test('a target is gone from reports, evidence and memory; a second run finds nothing', async () => {
    const reader = (await diag(settings, 'token', 'create', '--name', 'reader')).trim();
    const gone = await ask(url, 'http://t0.test/page');
    const below = await ask(url, 'http://www.t0.test/');
    const kept = await ask(url, 'http://t1.test/');
    expect([gone.status, below.status, kept.status]).toEqual([200, 200, 200]);
    // From memory: a repeat is answered without the store.
    expect((await ask(url, 'http://t0.test/page')).reportId).toBe(gone.reportId);
    // Evidence is written soon after its report.
    await expect
      .poll(() =>
        diag(settings, 'evidence', gone.reportId).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await expect
      .poll(() =>
        diag(settings, 'evidence', below.reportId).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    expect(await diag(settings, 'purge', '--target', 't0.test')).toMatch(
      /^2 reports, 0 grants, 2 pieces of evidence, [0-2] records of runs and 0 batches deleted\n$/,
    );
    expect(await diag(settings, 'purge', '--target', 't0.test')).toMatch(
      /^0 reports, 0 grants, 0 pieces of evidence, [0-2] records of runs and 0 batches deleted\n$/,
    );
    expect(await statusOf(url, gone.reportId, reader)).toBe(404);
    expect(await statusOf(url, kept.reportId, reader)).toBe(200);
    await expect(diag(settings, 'evidence', gone.reportId)).rejects.toThrow(/There is no evidence/);
    await expect.poll(async () => (await ask(url, 'http://t0.test/page')).reportId).not.toBe(gone.reportId);
    expect((await ask(url, 'http://t1.test/')).reportId).toBe(kept.reportId);
  }, 60_000);

  test('an account loses its grants and the reports that nobody else was given', async () => {
    const [own, other] = await Promise.all(
      ['own', 'other'].map(
        async (name) =>
          JSON.parse(await diag(settings, 'token', 'create', '--name', name, '-o', 'json')) as {
            token: string;
            account: string;
          },
      ),
    );
    const alone = await ask(url, 'http://t2.test/alone', own?.token);
    const shared = await ask(url, 'http://t2.test/shared', own?.token);
    expect((await ask(url, 'http://t2.test/shared', other?.token)).reportId).toBe(shared.reportId);
    expect(await diag(settings, 'purge', '--account', own?.account ?? '')).toMatch(
      /^1 reports, 2 grants, [01] pieces/,
    );
    expect(await diag(settings, 'purge', '--account', own?.account ?? '')).toMatch(
      /^0 reports, 0 grants, 0 pieces/,
    );
    expect(await statusOf(url, alone.reportId, own?.token)).toBe(404);
    expect(await statusOf(url, shared.reportId, own?.token)).toBe(404);
    expect(await statusOf(url, shared.reportId, other?.token)).toBe(200);
    await expect
      .poll(async () => (await ask(url, 'http://t2.test/alone', own?.token)).reportId)
      .not.toBe(alone.reportId);
  }, 60_000);

  test('what is older than a week is gone, also from the history; what is younger stays', async () => {
    const token = (await diag(settings, 'token', 'create', '--name', 'keeper')).trim();
    const old = await ask(url, 'http://t2.test/old', token);
    await expect
      .poll(() =>
        diag(settings, 'evidence', old.reportId).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await age();
    const young = await ask(url, 'http://t2.test/young', token);
    expect(await diag(settings, 'purge', '--older-than', '7')).toMatch(/^[1-9]\d* reports, [1-9]\d* grants,/);
    expect(await diag(settings, 'purge', '--older-than', '7')).toMatch(/^0 reports, 0 grants, 0 pieces/);
    expect(await statusOf(url, old.reportId, token)).toBe(404);
    expect(await statusOf(url, young.reportId, token)).toBe(200);
    await expect(diag(settings, 'evidence', old.reportId)).rejects.toThrow(/There is no evidence/);
    const history = await fetch(`${url}/api/reports`, { headers: { authorization: `Bearer ${token}` } });
    const told = await history.text();
    expect(told).toContain(young.reportId);
    expect(told).not.toContain(old.reportId);
  }, 60_000);
}

const eightDaysMs = 8 * 86_400_000;

describe('diag purge on one machine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'diag-'));
  let lab: Lab;
  let service: ServiceProcess;
  afterAll(async () => {
    service?.kill('SIGKILL');
    await lab?.close();
    rmSync(folder, { recursive: true });
  });
  purgeContract(async () => {
    const names = ['t0.test', 'www.t0.test', 't1.test', 't2.test', 'secret-name.test'];
    lab = await openLab({
      sites: Object.fromEntries(
        names.map((name) => [`http://${name}`, (_request, response) => void response.end('page')]),
      ),
    });
    const settings = lab.settings({ DATA_DIR: folder, LOG_LEVEL: 'info', RATE_LIMIT: 'off' });
    const environment = settings;
    service = await startService({ program: process.execPath, args: ['cli/diag.js', 'serve'], environment });
    const age = async () => {
      const database = new DatabaseSync(join(folder, 'reports.sqlite'));
      for (const table of ['reports', 'grants'])
        database.exec(`UPDATE ${table} SET checkedAt = checkedAt - ${eightDaysMs}`);
      database.close();
    };
    return { url: service.url, settings, age };
  });

  test('the bytes of what was deleted are overwritten in the file', async () => {
    const bytes = () =>
      ['reports.sqlite', 'reports.sqlite-wal'].map((name) =>
        readFileSync(join(folder, name)).includes('secret-name.test'),
      );
    await ask(service.url, 'http://secret-name.test/');
    await expect.poll(bytes).toContain(true);
    await diag(lab.settings({ DATA_DIR: folder }), 'purge', '--target', 'secret-name.test');
    expect(bytes()).toEqual([false, false]);
  });

  test.for([
    ['neither', [], /Give one of/],
    ['two', ['--target', 'a.test', '--account', 'x'], /Give one of/],
    ['a time that is none', ['--older-than', 'a week'], /not a number of days/],
    ['a target that is none', ['--target', 'nosuch'], /neither a domain nor a URL/],
  ] as const)('%s: exit status 2', async ([, args, message]) => {
    await expect(diag(lab.settings({ DATA_DIR: folder }), 'purge', ...args)).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(message) as string,
    });
  });
});

describe.skipIf(!hasRedis || !hasMongo)('diag purge of a scaled deployment', () => {
  let fleet: Fleet;
  afterAll(() => fleet?.close());
  purgeContract(async () => {
    fleet = await openFleet({
      hosts: 3,
      answer: (_request, response) => void response.writeHead(204).end(),
    });
    const settings = fleet.lab.settings({ REDIS_URL: fleet.redis.url, MONGODB_URL: fleet.mongo.url });
    const [api] = await Promise.all([fleet.startApi(), fleet.startWorker()]);
    const age = async () => {
      const mongo = new MongoClient(fleet.mongo.url);
      for (const name of ['reports', 'grants']) {
        const collection = mongo.db().collection<{ checkedAt: Date }>(name);
        for (const { _id, checkedAt } of await collection.find({}).toArray())
          await collection.updateOne(
            { _id },
            { $set: { checkedAt: new Date(checkedAt.getTime() - eightDaysMs) } },
          );
      }
      await mongo.close();
    };
    return { url: api.url, settings, age };
  });
});
