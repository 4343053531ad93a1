import { execFileSync, spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Report } from '#shared/model/report';
import { renderProbe } from '#shared/render/probe';
import { findProgram, freePort } from '../../kit/programs.ts';
import { untilListening } from '../../kit/redis.ts';
import { type ServiceProcess, startService } from '../../kit/service-process.ts';
import { readYamlFile } from '../../kit/yaml.ts';
import { openLab } from '../kit/lab.ts';

type Target = { readonly expr: string };
type Panel = { readonly id: number; readonly title: string; readonly targets: readonly Target[] };
type Dashboard = { readonly uid: string; readonly panels: readonly Panel[] };
type Rule = { readonly alert: string; readonly expr: string };
type Scaled = {
  readonly spec?: { readonly triggers?: readonly { readonly metadata: { readonly query: string } }[] };
};

const dashboards = globSync('deploy/watch/dashboards/*.json').map(
  (path) => JSON.parse(readFileSync(path, 'utf8')) as Dashboard,
);
const [{ groups }] = readYamlFile('deploy/watch/rules.yml') as [{ groups: { rules: Rule[] }[] }];
const rules = groups.flatMap((group) => group.rules);
const scalers = (readYamlFile('deploy/kubernetes/keda/scalers.yaml') as Scaled[]).flatMap(
  ({ spec }) => spec?.triggers ?? [],
);

const queries: readonly (readonly [string, string])[] = [
  ...dashboards.flatMap(({ uid, panels }) =>
    panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [`${uid}: ${title}`, expr] as const)),
  ),
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...scalers.map(({ metadata }) => ['keda', metadata.query] as const),
];

const prometheus = findProgram('prometheus');
const promtool = findProgram('promtool');
const root = mkdtempSync(join(tmpdir(), 'diag-'));
afterAll(() => rmSync(root, { recursive: true }));

const lab = await openLab({
  sites: { 'http://good.test': (_request, response) => void response.end('good') },
});
let service: ServiceProcess;
beforeAll(async () => {
  service = await startService({
    program: process.execPath,
    args: ['cli/diag.js', 'serve'],
    environment: lab.settings({ LOG_LEVEL: 'info', LIMIT_ANON_SCANS: '1/60' }),
  });
  // Something of everything: a run, a repeat, a refused target, and a caller beyond its limit.
  for (const target of [
    'http://good.test/',
    'http://good.test/',
    'http://10.0.0.1/',
    'http://good.test/more',
  ])
    await fetch(`${service.url}/api/tools/redirect-check?url=${encodeURIComponent(target)}`);
});
afterAll(async () => {
  service.kill('SIGKILL');
  await lab.close();
});

/** Names of metrics in a query: words that are no function, label, string, number or keyword. */
function metricsIn(query: string): string[] {
  const bare = query
    .replace(/"[^"]*"/g, '')
    .replace(/\{[^}]*\}/g, '')
    .replace(/\[\w+\]/g, '');
  const labels = bare.replace(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, '');
  const words = labels.match(/[a-z_:][\w:]*(?!\w*\s*\()/gi) ?? [];
  return words.filter((word) => word.includes('_') && !/^(?:histogram_quantile)$/.test(word));
}

test('every metric of a panel, an alarm or a scaler is one that the service exposes', async () => {
  const text = await (await fetch(`${service.adminUrl}/metrics`)).text();
  // The dashboard of targets shows what /probe tells of them.
  const golden = JSON.parse(readFileSync('test/fixtures/golden/domain-health.json', 'utf8')) as Report;
  const expiries = [{ what: 'domain', expiresAt: '2027-01-01T00:00:00.000Z' }];
  const probe = renderProbe({ ...golden, expiries }, 1);
  const exposed = new Set(`${text}\n${probe}`.match(/^[a-z_:][\w:]*/gim));
  const used = [...new Set(queries.flatMap(([, query]) => metricsIn(query)))];
  expect(used.length).toBeGreaterThan(15);
  expect(used.filter((name) => !exposed.has(name))).toEqual([]);
});

test('panels have ids of their own, and every panel a query', () => {
  for (const { panels } of dashboards) {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(panels.filter(({ targets }) => targets.length === 0)).toEqual([]);
  }
});

test('each alarm has a row in the operators’ guide, and no row is of an alarm that is gone', () => {
  const rows = readFileSync('docs/monitoring.md', 'utf8').matchAll(/^\| `(Diag\w+)` \|/gm);
  expect([...rows].map(([, name]) => name).sort()).toEqual(rules.map(({ alert }) => alert).sort());
});

test.runIf(promtool)('promtool accepts configuration and rules, and the rules fire as they should', () => {
  const run = (...args: string[]) =>
    execFileSync(promtool ?? '', args, { cwd: 'deploy/watch', encoding: 'utf8' });
  expect(run('check', 'config', 'prometheus.yml')).toContain('SUCCESS');
  expect(run('check', 'rules', 'rules.yml')).toContain(`${rules.length} rules found`);
  expect(run('test', 'rules', 'rules.test.yml')).toContain('SUCCESS');
});

describe.runIf(prometheus)('a real Prometheus that scrapes the service', () => {
  let base = '';
  let stop = () => {};
  const ask = async (query: string) => {
    const answer = await fetch(`${base}/api/v1/query?query=${encodeURIComponent(query)}`);
    return (await answer.json()) as { status: string; error?: string; data?: { result: unknown[] } };
  };

  beforeAll(async () => {
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    const scrape = [{ job_name: 'api', static_configs: [{ targets: [new URL(service.adminUrl).host] }] }];
    const config = { global: { scrape_interval: '1s' }, scrape_configs: scrape };
    writeFileSync(join(root, 'prometheus.yml'), JSON.stringify(config)); // JSON is YAML
    const place = [`--storage.tsdb.path=${join(root, 'data')}`, `--web.listen-address=127.0.0.1:${port}`];
    const child = spawn(prometheus ?? '', [`--config.file=${join(root, 'prometheus.yml')}`, ...place], {
      stdio: 'ignore',
    });
    stop = () => void child.kill('SIGKILL');
    await untilListening(port);
  });
  afterAll(() => stop());

  test('it finds the metrics of the process', async () => {
    await expect.poll(async () => (await ask('diag_build_info')).data?.result.length).toBe(1);
  });

  test.for(queries)('%s: %s is understood', async ([, query]) => {
    expect(await ask(query)).toMatchObject({ status: 'success' });
  });
});
