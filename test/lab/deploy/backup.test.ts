import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startService } from '../../kit/service-process.ts';
import { openLab } from '../kit/lab.ts';

const root = mkdtempSync(join(tmpdir(), 'diag-'));
let requests = 0;
const lab = await openLab({
  sites: {
    'http://good.test': (_request, response) => {
      requests += 1;
      response.end('good');
    },
  },
});
afterAll(async () => {
  await lab.close();
  rmSync(root, { recursive: true });
});

async function serveOn(folder: string) {
  const service = await startService({
    program: process.execPath,
    args: ['cli/diag.js', 'serve'],
    environment: lab.settings({ LOG_LEVEL: 'info', DATA_DIR: folder }),
  });
  onTestFinished(() => service.kill('SIGKILL'));
  return service;
}

/** What the service answers for the site of the lab. */
async function ask(base: string): Promise<string> {
  const answer = await fetch(`${base}/api/tools/redirect-check?url=http%3A%2F%2Fgood.test%2F`);
  expect(answer.status).toBe(200);
  return answer.text();
}

test('a copy made while the service runs gives the same reports on another machine, without a new run', async () => {
  const running = await serveOn(join(root, 'data'));
  const report = await ask(running.url);
  const [seen, restored] = [requests, join(root, 'restored')];
  mkdirSync(restored);
  // What the .backup of the operators' guide does, by the same interface of SQLite.
  const source = new DatabaseSync(join(root, 'data/reports.sqlite'));
  await backup(source, join(restored, 'reports.sqlite'));
  source.close();
  running.kill('SIGKILL');
  await running.closed;
  const other = await serveOn(restored);
  expect(await ask(other.url)).toBe(report);
  expect(requests).toBe(seen);
});
