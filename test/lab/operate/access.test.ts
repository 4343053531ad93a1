import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccessRecord } from '#shared/ports/access-record';
import { type ServiceProcess, startService } from '../../kit/service-process.ts';
import { type Lab, openLab } from '../kit/lab.ts';

const folder = mkdtempSync(join(tmpdir(), 'diag-'));
let lab: Lab;
let service: ServiceProcess;
let settings: Record<string, string>;
const got = { 'hit.test': 0, 'asked.test': 0 };

const count =
  (host: keyof typeof got, answer: RequestListener): RequestListener =>
  (request, response) => {
    got[host] += 1;
    answer(request, response);
  };

beforeAll(async () => {
  lab = await openLab({
    sites: {
      'http://asked.test': count('asked.test', (_request, response) =>
        response.writeHead(302, { location: 'http://hit.test/secret?path=1' }).end(),
      ),
      'http://hit.test': count('hit.test', (_request, response) => response.writeHead(204).end()),
    },
  });
  settings = lab.settings({ DATA_DIR: folder, LOG_LEVEL: 'info' });
  service = await startService({
    program: process.execPath,
    args: ['cli/diag.js', 'serve'],
    environment: settings,
  });
}, 60_000);
afterAll(async () => {
  service?.kill('SIGKILL');
  await lab?.close();
  rmSync(folder, { recursive: true });
});

async function access(...args: string[]): Promise<readonly AccessRecord[]> {
  const env = { PATH: process.env['PATH'] ?? '', ...settings };
  const command = promisify(execFile)(process.execPath, ['cli/diag.js', 'access', '-o', 'json', ...args], {
    env,
  });
  const text = (await command).stdout;
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AccessRecord);
}

test('“what hit us from your address?” is answered by one command: who asked for what, and how much was sent', async () => {
  const url = encodeURIComponent('http://asked.test/with/a/path?and=query');
  const answer = await fetch(`${service.url}/api/tools/redirect-check?url=${url}`, {
    headers: { 'x-request-id': 'what-the-caller-says' },
  });
  expect(answer.status).toBe(200);
  await expect.poll(() => access('--host', 'hit.test'), { timeout: 30_000 }).toHaveLength(1);
  const [run] = await access('--host', 'hit.test', '--since', '1h');
  expect(run).toMatchObject({ check: 'redirect-check', host: 'asked.test', caller: '127.0.0.1' });
  const [contact] = run?.contacts ?? [];
  expect(contact?.place).toBe('hit.test');
  expect(contact?.counts['connections']).toBeGreaterThanOrEqual(1);
  expect(got['hit.test']).toBeGreaterThanOrEqual(1);
  // By its address, everything that went there.
  const [byAddress] = await access('--address', '127.0.0.1');
  const sent = byAddress?.contacts?.find(({ place }) => place === '127.0.0.1')?.counts['requests'] ?? 0;
  expect(sent).toBeGreaterThanOrEqual(got['hit.test'] + got['asked.test']);
  // Neither paths nor what the caller called its request.
  const whole = JSON.stringify(await access('--caller', '127.0.0.1'));
  expect(whole).not.toMatch(/secret|query|path|what-the-caller-says/);
  expect(
    await access('--host', 'hit.test', '--until', '2020-01-01T00:00Z', '--since', '2019-01-01T00:00Z'),
  ).toEqual([]);
}, 90_000);

test('a purge of the host strikes it out of the record', async () => {
  const env = { PATH: process.env['PATH'] ?? '', ...settings };
  await promisify(execFile)(process.execPath, ['cli/diag.js', 'purge', '--target', 'hit.test'], { env });
  expect(await access('--host', 'hit.test')).toEqual([]);
  expect(await access('--caller', '127.0.0.1')).toHaveLength(1);
}, 60_000);
