import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drawToken } from '../kit/draw-token.ts';
import { hasPrevious, previousVersions, unpackPrevious } from '../kit/previous-version.ts';
import { type ServiceProcess, startService } from '../kit/service-process.ts';
import { openLab } from '../lab/kit/lab.ts';
import { get, type Member } from './fleet.ts';

type Settings = Readonly<Record<string, string>>;

// A copy of the files without their history has no previous version to start.
describe.skipIf(!hasPrevious).each(previousVersions)('an upgrade from $name', (version) => {
  const started = new Set<ServiceProcess>();
  let previous: ReturnType<typeof unpackPrevious>;
  beforeAll(() => {
    previous = unpackPrevious(version);
  });
  afterAll(() => {
    for (const { kill } of started) kill('SIGKILL');
    previous.remove();
  });

  const start = async (program: string, name: string, environment: Settings): Promise<Member> => {
    const service = await startService({ program: process.execPath, args: [program, name], environment });
    started.add(service);
    const { child, url, adminUrl, lines } = service;
    return { process: child, url, adminUrl, lines };
  };
  const end = ({ process: child }: Member, signal: NodeJS.Signals) =>
    new Promise((resolve) => {
      child.once('exit', resolve);
      child.kill(signal);
    });

  test('a database file: its reports are read as they were written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'diag-'));
    const lab = await openLab({
      sites: { 'http://a.test': (_request, response) => void response.end('page') },
    });
    const settings = lab.settings({ DATA_DIR: folder, LOG_LEVEL: 'info', RATE_LIMIT: 'off' });
    try {
      const old = await start(previous.program, 'serve', settings);
      const paths = Array.from({ length: 20 }, (_, index) => `http://a.test/${index}`);
      const written = await Promise.all(paths.map((path) => get(old, path)));
      expect(written.map(({ status }) => status)).toEqual(paths.map(() => 200));
      await end(old, 'SIGTERM');
      const now = await start('cli/diag.js', 'serve', settings);
      const headers = { authorization: `Bearer ${await drawToken(settings)}` };
      for (const { body } of written) {
        const id = String(body['reportId']);
        const response = await fetch(`${now.url}/api/reports/${id}`, { headers });
        expect([response.status, await response.json()]).toEqual([200, body]);
      }
      await end(now, 'SIGTERM');
    } finally {
      await lab.close();
      rmSync(folder, { recursive: true });
    }
  }, 120_000);
});
