import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readYamlFile } from '../../kit/yaml.ts';

type Step = { readonly uses?: string; readonly run?: string };
type Workflow = {
  readonly permissions: object;
  readonly jobs: Readonly<
    Record<string, { readonly 'timeout-minutes': number; readonly steps: readonly Step[] }>
  >;
};

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const { jobs, permissions } = readYamlFile('.github/workflows/ci.yml')[0] as Workflow;
const steps = Object.values(jobs).flatMap((job) => job.steps);

test('the workflow may only read, and every job has an end', () => {
  expect(permissions).toEqual({ contents: 'read' });
  expect(Object.values(jobs).filter((job) => !(job['timeout-minutes'] <= 60))).toEqual([]);
});

test('every script that it runs is one of package.json, and it runs the checks, the tests and the audits', () => {
  const runs = steps.flatMap(({ run }) => run ?? []);
  const named = runs.flatMap((run) => [...run.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name));
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
  expect(named).toEqual(expect.arrayContaining(['lint', 'test:all']));
  for (const part of [
    'npm test',
    'npm audit --omit=dev',
    'npm audit signatures',
    'npm sbom',
    'docker build',
    'trivy',
  ])
    expect(runs.some((run) => run.includes(part))).toBe(true);
});

test('it installs what .ci/run installs', () => {
  const listOf = (text: string) =>
    (/--no-install-recommends ([\w\d -]+)/.exec(text)?.[1] ?? '').trim().split(' ');
  const here = listOf(steps.find(({ run }) => run?.includes('apt-get'))?.run ?? '');
  expect(here).toEqual(expect.arrayContaining(listOf(readFileSync('.ci/run', 'utf8'))));
});

test.for(['.github/renovate.json', '.devcontainer/devcontainer.json'])('%s is JSON', (path) => {
  expect(JSON.parse(readFileSync(path, 'utf8'))).toBeTypeOf('object');
});
