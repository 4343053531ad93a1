import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomId } from '#shared/model/job';
import { makeReport } from '#shared/model/report';
import { openSqliteReportStore } from '#shared/stores/reports/sqlite';
import { findProgram } from '../kit/programs.ts';
import { type ServiceProcess, startService } from '../kit/service-process.ts';
import { type Lab, openLab } from '../lab/kit/lab.ts';

const silence = { error() {}, warn() {}, info() {}, debug() {} };
const host = 't.test';

/** A small file system of its own; false where this machine lets nobody mount one. */
function mountSmall(folder: string): boolean {
  mkdirSync(folder);
  try {
    execFileSync(findProgram('mount') ?? '', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', folder], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}

const folder = mkdtempSync(join(tmpdir(), 'diag-full-'));
const disk = join(folder, 'disk');
const isMounted = mountSmall(disk);
if (!isMounted) console.warn('SKIPPED: a full disk (needs the right to mount a tmpfs)');
if (!isMounted && process.env['CI'] === 'true') throw new Error('no tmpfs can be mounted');
afterAll(() => {
  if (isMounted) execFileSync(findProgram('umount') ?? '', ['-l', disk]);
  rmSync(folder, { recursive: true, force: true });
});

/** Writes until nothing more fits. */
function fillDisk(): void {
  const piece = Buffer.alloc(4096);
  try {
    for (;;) writeFileSync(join(disk, 'filler'), piece, { flag: 'a' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

/** Keeps reports that expire in a few seconds, as another process on the same file does. */
async function keepExpiring(count: number, keepForS: number): Promise<void> {
  const store = openSqliteReportStore(join(disk, 'reports.sqlite'), { log: silence, limitBytes: 1e9 });
  for (let index = 0; index < count; index += 1) {
    const keys = { reportId: randomId(), jobId: randomId(), jobKey: randomId() };
    const facts = {
      check: 'redirect-check',
      target: { url: 'http://old.test/' },
      rules: {},
      rulesVersion: 1,
      reportId: keys.reportId,
      checkedAtMs: Date.now(),
      durationMs: 1,
      freshForS: 1,
      keepForS,
    };
    await store.insert(makeReport(facts, { state: 'complete', verdicts: {}, fields: {} }), keys);
  }
  await store.close();
}

describe.skipIf(!isMounted)('a full disk under DATA_DIR', () => {
  let lab: Lab;
  let service: ServiceProcess;
  let visits = 0;
  const kept = new Map<string, unknown>();
  const start = () =>
    startService({
      program: process.execPath,
      args: ['cli/diag.js', 'serve'],
      environment: lab.settings({
        DATA_DIR: disk,
        RATE_LIMIT: 'off',
        LOG_LEVEL: 'debug',
        FRESH_SECONDS: '600',
      }),
    });
  const get = async (path: string) => {
    const url = encodeURIComponent(`http://${host}${path}`);
    const response = await fetch(`${service.url}/api/tools/redirect-check?url=${url}`, {
      signal: AbortSignal.timeout(20_000),
    });
    const body = (await response.json()) as Record<string, unknown>;
    if (response.status === 200) kept.set(path, body['reportId']);
    return { status: response.status, code: body['code'], reportId: body['reportId'] };
  };
  const readyz = async () => {
    const response = await fetch(`${service.adminUrl}/readyz`);
    return ((await response.json()) as { checks: Record<string, unknown> }).checks;
  };
  const told = (message: string) => service.lines.filter((line) => line.includes(`"msg":"${message}"`));

  beforeAll(async () => {
    lab = await openLab({
      sites: {
        [`http://${host}`]: (_request, response) => {
          visits += 1;
          response.writeHead(204).end();
        },
      },
    });
    service = await start();
  }, 60_000);
  afterAll(async () => {
    service?.kill('SIGKILL');
    await lab?.close();
  });

  test('new checks are 503 at once and visit nobody, cached answers go on, and the log tells it once', async () => {
    expect((await get('/before')).status).toBe(200);
    expect(await readyz()).toMatchObject({ store: true });
    await keepExpiring(20, 3);
    fillDisk();
    // What the log of writes had room for is kept and answered; without waiting for its usual 25 s a GET is then refused.
    let answer = await get('/full/0');
    for (let index = 1; answer.status === 200 && index < 200; index += 1)
      answer = await get(`/full/${index}`);
    expect(answer).toMatchObject({ status: 503, code: 'store_unavailable' });
    const visited = visits;
    expect(await Promise.all([get('/refused/1'), get('/refused/2')])).toMatchObject([
      { status: 503, code: 'store_unavailable' },
      { status: 503, code: 'store_unavailable' },
    ]);
    expect(visits).toBe(visited);
    const before = kept.get('/before');
    expect(await get('/before')).toMatchObject({ status: 200, reportId: before });
    expect(await readyz()).toMatchObject({
      queue: true,
      store: expect.stringMatching(/^reports cannot be written \(.+\)$/),
    });
    await expect.poll(() => told('reports cannot be written').length).toBe(1);
    const [line = '{}'] = told('reports cannot be written');
    expect(JSON.parse(line)).toMatchObject({ level: 50, freeBytes: expect.any(Number) });
  }, 60_000);

  test('expiry outlives it, and all works again by itself once there is room, without a report lost', async () => {
    await expect
      .poll(
        () =>
          told('a loop of this process waits for its store or queue').filter((line) =>
            line.includes('"loop":"expiry of reports"'),
          ).length,
        { timeout: 60_000 },
      )
      .toBeGreaterThan(0);
    rmSync(join(disk, 'filler'));
    await expect.poll(async () => (await readyz())['store']).toBe(true);
    await expect.poll(() => told('reports can be written again').length).toBe(1);
    expect((await get('/after')).status).toBe(200);
    service.kill('SIGKILL');
    service = await start();
    for (const [path, reportId] of kept) expect(await get(path)).toEqual({ status: 200, reportId });
  }, 90_000);

  test('a service that is started on a full disk says why it cannot start', async () => {
    service.kill('SIGTERM');
    await service.closed;
    fillDisk();
    await expect(start()).rejects.toThrow(/ended with 78/);
    rmSync(join(disk, 'filler'));
    service = await start();
    for (const [path, reportId] of kept) expect(await get(path)).toEqual({ status: 200, reportId });
  }, 60_000);
});
