import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { drawToken } from '../kit/draw-token.ts';
import { findProgram } from '../kit/programs.ts';
import { type ServiceProcess, startService } from '../kit/service-process.ts';
import { callerOf, hostNames, openSlowLab, slower, tool } from './slow-pages.ts';

// A disk that fills under each file of DATA_DIR, and under all of it, while a batch is open.

const folder = mkdtempSync(join(tmpdir(), 'diag-full-'));
const mounted: string[] = [];

/** A small file system of its own; undefined where this machine lets nobody mount one. */
function mountSmall(name: string): string | undefined {
  const disk = join(folder, name);
  mkdirSync(disk);
  try {
    const args = ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk];
    execFileSync(findProgram('mount') ?? '', args, { stdio: 'ignore' });
    mounted.push(disk);
    return disk;
  } catch {
    return undefined;
  }
}

const canMount = mountSmall('trial') !== undefined;
if (!canMount) console.warn('SKIPPED: full disks (needs the right to mount a tmpfs)');
if (!canMount && process.env['CI'] === 'true') throw new Error('no tmpfs can be mounted');
afterAll(() => {
  for (const disk of mounted) execFileSync(findProgram('umount') ?? '', ['-l', disk]);
  rmSync(folder, { recursive: true, force: true });
});

function fillDisk(disk: string): void {
  for (const size of [65_536, 4096, 512])
    try {
      for (;;) writeFileSync(join(disk, 'filler'), Buffer.alloc(size), { flag: 'a' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
}

/** CPU seconds of a process, and what it holds of memory. */
function useOf({ child }: ServiceProcess): { readonly cpuS: number; readonly rssMb: number } {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const [user = '0', system = '0'] = fields.slice(11, 13);
  return {
    cpuS: (Number(user) + Number(system)) / 100,
    rssMb: (Number(fields[21]) * 4096) / 1e6,
  };
}

type Write = 'report' | 'batch' | 'watch' | 'key' | 'session' | 'none';
/** Which file fills, and what cannot be written then. */
const files: readonly { readonly file: string; readonly write: Write }[] = [
  { file: 'reports', write: 'report' },
  { file: 'batches', write: 'batch' },
  { file: 'watches', write: 'watch' },
  { file: 'idempotency', write: 'key' },
  { file: 'tokens', write: 'session' },
  { file: 'access', write: 'none' },
  // All of it.
  { file: '', write: 'batch' },
];

describe.skipIf(!canMount)('a full disk', () => {
  test.for(files)('under "$file": $write', { timeout: 240_000 }, async ({ file, write }) => {
    const disk = mountSmall(`disk-${file}`);
    if (disk === undefined) throw new Error('it was mounted before');
    const data = file === '' ? disk : join(folder, `data-${file}`);
    if (file !== '') {
      mkdirSync(data, { mode: 0o700 });
      symlinkSync(join(disk, `${file}.sqlite`), join(data, `${file}.sqlite`));
    }
    const hosts = hostNames(40);
    const lab = await openSlowLab(hosts);
    const settings = lab.settings({
      DATA_DIR: data,
      RATE_LIMIT: 'off',
      LOG_LEVEL: 'info',
      FRESH_SECONDS: '600',
      WORKER_CONCURRENCY: '2',
      LIMIT_ACCOUNT_BATCHES: '100000',
      LIMIT_ACCOUNT_TARGETS: '1000000',
      ...(write === 'session' ? { AUTH_MODE: 'token' } : {}),
    });
    const token = await drawToken(settings, ['--scopes', 'tools,reports:read,watch']);
    const headers = { authorization: `Bearer ${token}` };
    const service = await startService({
      program: process.execPath,
      args: ['cli/diag.js', 'serve'],
      environment: settings,
    });
    try {
      const { get, look, post } = callerOf(service, headers);
      let round = 0;
      const batch = (targets: readonly string[], more?: Record<string, string>) =>
        post('/api/batches', { check: 'redirect-check', targets }, more);
      const writes: Record<Write, () => Promise<number>> = {
        report: () => get(tool(`http://t1.test/${(round += 1)}`)),
        batch: async () => (await batch(Array.from({ length: 2000 }, () => `x.${(round += 1)} no`))).status,
        watch: async () =>
          (
            await post('/api/watches', {
              check: 'redirect-check',
              targets: Array.from({ length: 80 }, () => `http://t1.test/${(round += 1)}`),
              everySeconds: 86_400,
            })
          ).status,
        key: async () => (await batch(['x'], { 'idempotency-key': `k${(round += 1)}` })).status,
        session: async () =>
          (
            await fetch(`${service.url}/session`, {
              method: 'POST',
              body: new URLSearchParams({ token }),
              redirect: 'manual',
            })
          ).status,
        none: () => get(tool(`http://t1.test/${(round += 1)}`)),
      };
      const readyz = async () => {
        const answer = (await (await fetch(`${service.adminUrl}/readyz`)).json()) as {
          readonly checks: Record<string, unknown>;
        };
        return [answer.checks['disk'], answer.checks['store']];
      };
      expect(await get(tool('http://t0.test/cached'))).toBe(200);
      const made = await batch(hosts.map((host) => `http://${host}/batch`));
      expect(made.status).toBe(201);
      fillDisk(disk);
      let status = await writes[write]();
      for (let tries = 0; status < 400 && tries < 400 && write !== 'none'; tries += 1) {
        fillDisk(disk);
        status = await writes[write]();
      }
      expect(write === 'none' ? 503 : status).toBe(503);
      // The record of runs is written beside them.
      if (write === 'none')
        for (let tries = 0; tries < 300 && !JSON.stringify(await readyz()).includes('cannot'); tries += 1) {
          await writes.none();
          fillDisk(disk);
        }
      expect(JSON.stringify(await readyz())).toContain('cannot be written');
      const before = useOf(service);
      const asked = performance.now();
      for (let times = 0; times < 15; times += 1) {
        const start = performance.now();
        expect(await get('/livez', service.adminUrl)).toBe(200);
        expect(await get(tool('http://t0.test/cached'))).toBe(200);
        expect(performance.now() - start).toBeLessThan(3000 * slower);
        await delay(200);
      }
      const after = useOf(service);
      const share = (after.cpuS - before.cpuS) / ((performance.now() - asked) / 1000);
      expect(share).toBeLessThan(0.8);
      expect(after.rssMb - before.rssMb).toBeLessThan(100);

      rmSync(join(disk, 'filler'));
      const room = performance.now();
      await expect.poll(readyz, { timeout: 15_000 * slower }).toEqual([true, true]);
      await expect.poll(writes[write], { timeout: 15_000 * slower }).toBeLessThan(400);
      const againS = (performance.now() - room) / 1000;
      const id = String(made.body['batchId']);
      await expect
        .poll(() => look(`/api/batches/${id}`), { timeout: 60_000, interval: 500 })
        .toMatchObject({ state: 'done', done: hosts.length });
      console.log(
        `${file === '' ? 'DATA_DIR' : file}: ${(100 * share).toFixed(0)} % CPU and ${(after.rssMb - before.rssMb).toFixed(0)} MB more while full; ${write === 'none' ? 'all' : write} again ${againS.toFixed(1)} s after there was room`,
      );
      expect(againS).toBeLessThan(10 * slower);
    } finally {
      service.kill('SIGKILL');
      await service.closed;
      await lab.close();
    }
  });
});
