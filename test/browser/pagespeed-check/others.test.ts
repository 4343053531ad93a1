import { mkdtempSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { faultsOf, startWatchedService } from '../../lab/hostile/watched-service.ts';
import { openLab } from '../../lab/kit/lab.ts';
import { hostilePages } from './hostile-pages.ts';
import { openSite, siteAddress } from './kit.ts';
import { stormPages } from './storms.ts';

/** Pages whose requests, by the hundred thousand or without end, go through the service's own process. */
const names = ['all storms at once', 'a script that fetches without end'];
const pages = [...stormPages, ...hostilePages].filter(({ name }) => names.includes(name));

const answerOf = (host: string): RequestListener | undefined =>
  pages[Number(/^p(\d+)\.test/.exec(host)?.[1])]?.answer;
const site = await openSite((request, response) => {
  const answer = answerOf(request.headers.host ?? '');
  if (answer) answer(request, response);
  else response.end('hello');
});
const hosts = ['good.test', ...pages.map((_, at) => `p${at}.test`)];
const lab = await openLab({ zone: Object.fromEntries(hosts.map((host) => [host, { A: [siteAddress] }])) });
const folder = mkdtempSync(join(tmpdir(), 'others-'));
const service = await startWatchedService(
  lab.settings({
    DATA_DIR: folder,
    WORKER_QUEUES: 'network,browser',
    TARGET_ALLOW_CIDRS: `${siteAddress}/32`,
    TARGET_PORT_MAP: `80=${site.port}`,
  }),
);
afterAll(async () => {
  await Promise.all([service.close(), site.close(), lab.close()]);
  rmSync(folder, { recursive: true });
});

const good = '/api/tools/redirect-check?url=http%3A%2F%2Fgood.test%2F';

test(
  'while pages do their worst, the service is never blocked for 100 ms, and another caller is answered',
  {
    timeout: 120_000,
  },
  async () => {
    for (const path of [good, good]) expect(await service.statusOf(path)).toBe(200);
    const paths = pages.map(
      (_, at) => `/api/tools/pagespeed-check?url=${encodeURIComponent(`http://p${at}.test/`)}&wait=55`,
    );
    expect(paths).toHaveLength(names.length);
    const outcome = await service.ask(paths, good, paths.length);
    expect(faultsOf(`${paths.length} hostile pages`, outcome)).toEqual([]);
  },
);
