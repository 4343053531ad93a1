// /probe, as Prometheus scrapes it.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openService } from '../api/kit.ts';
import { findProgram, freePort } from '../kit/programs.ts';

const service = await openService({
  sites: {
    'http://a.test': (_request, response) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end('<title>a</title>'),
  },
  settings: { RATE_LIMIT: 'off' },
});
afterAll(() => service.close());

const promtool = findProgram('promtool');
test.runIf(promtool)('is text in which promtool finds nothing', async () => {
  const { text } = await service.get(
    `/probe?module=redirect-check&target=${encodeURIComponent('http://a.test/')}`,
  );
  const { status, stdout, stderr } = spawnSync(promtool ?? '', ['check', 'metrics'], { input: text });
  expect([status, String(stdout), String(stderr)]).toEqual([0, '', '']);
});

const prometheus = findProgram('prometheus');

test.runIf(prometheus)(
  'Prometheus scrapes it, as the operator configures it',
  { timeout: 120_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'diag-prometheus-'));
    const port = await freePort();
    const config = join(folder, 'prometheus.yml');
    writeFileSync(
      config,
      `scrape_configs:
  - job_name: diag
    scrape_interval: 1s
    scrape_timeout: 1s
    metrics_path: /probe
    params: { module: [redirect-check] }
    static_configs: [{ targets: ['http://a.test/'] }]
    relabel_configs:
      - { source_labels: [__address__], target_label: __param_target }
      - { source_labels: [__param_target], target_label: instance }
      - { target_label: __address__, replacement: '127.0.0.1:${service.port}' }
`,
    );
    const args = [
      `--config.file=${config}`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    const child = spawn(prometheus ?? '', args, { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('close', resolve));
    const ask = async (query: string): Promise<unknown> => {
      const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`;
      // Until it listens there is no answer.
      type Answer = {
        readonly data?: { readonly result: readonly { readonly value: readonly [number, string] }[] };
      };
      const { data } = await fetch(url).then(
        (answer) => answer.json() as Promise<Answer>,
        (): Answer => ({}),
      );
      return data?.result[0]?.value[1];
    };
    await expect
      .poll(() => ask('probe_success{instance="http://a.test/"}'), { timeout: 90_000, interval: 500 })
      .toBe('1');
    expect(Number(await ask('sum(diag_findings)'))).toBeGreaterThanOrEqual(0);
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true });
  },
);
