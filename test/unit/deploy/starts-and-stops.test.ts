import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readConfig, settingNames } from '#shared/settings/config';
import { readComposeFile, replaceVariables } from '../../kit/compose.ts';
import { readYamlFile } from '../../kit/yaml.ts';

const dockerfile = readFileSync('Dockerfile', 'utf8');
const readUnit = (name: string) => readFileSync(`deploy/systemd/${name}`, 'utf8');
/** Each unit, what it runs, and how long its work may go on after the API has ended, in seconds. */
const units = [
  { name: 'diag@.service', role: '%i', workS: 75 },
  { name: 'diag-api@.service', role: 'api', workS: 0 },
] as const;
const young = '--max-semi-space-size=8';
/** What an API takes beyond DRAIN_SECONDS: 1 s for what is on its way, and 10 s for answers. */
const endingS = 11;

const settingIn = (text: string, name: string) => new RegExp(`\\b${name}=(\\S+)`).exec(text)?.[1];
const drainOfImage = Number(settingIn(dockerfile, 'DRAIN_SECONDS'));

test('the image goes on accepting for 10 s after SIGTERM, and a process without settings for none', () => {
  expect(drainOfImage).toBe(10);
  expect(readConfig({}).DRAIN_SECONDS).toBe(0);
});

test('compose gives an API the time that it takes to end', () => {
  const { api } = readComposeFile().services;
  const environment = (api?.environment ?? {}) as Record<string, string>;
  const drainS = Number(replaceVariables(environment['DRAIN_SECONDS'] ?? '', {}));
  const graceS = Number.parseInt(replaceVariables(String(api?.['stop_grace_period']), {}), 10);
  expect(drainS).toBe(drainOfImage);
  expect(graceS).toBeGreaterThan(drainS + endingS);
});

test('Kubernetes gives an API the time that it takes to end', () => {
  type Deployment = {
    readonly kind: string;
    readonly spec: {
      readonly template: { readonly spec: { readonly terminationGracePeriodSeconds: number } };
    };
  };
  const [api] = (readYamlFile('deploy/kubernetes/base/api.yaml') as Deployment[]).filter(
    ({ kind }) => kind === 'Deployment',
  );
  expect(api?.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(drainOfImage + endingS);
});

test('every start of a service has the smaller young generation', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  for (const name of ['start', 'api', 'worker']) expect(scripts[name]).toContain(young);
  expect(settingIn(dockerfile, 'NODE_OPTIONS')).toBe(young);
  for (const { name, role } of units)
    expect(/^ExecStart=(.*)$/m.exec(readUnit(name))?.[1]).toContain(`node ${young} cli/diag.js ${role}`);
});

test.for(units)(
  '$name has settings that exist, time to end, and no restart for a bad setting',
  ({ name, workS }) => {
    const unit = readUnit(name);
    const [, environment = ''] = /^Environment=(.*)$/m.exec(unit) ?? [];
    const pairs = environment.split(' ').map((pair) => pair.split('=') as [string, string]);
    const own = pairs.filter(([name]) => name !== 'NODE_ENV');
    expect(own.filter(([name]) => !settingNames.some((each) => each === name))).toEqual([]);
    const drainS = Number(Object.fromEntries(own)['DRAIN_SECONDS']);
    expect(Number(settingIn(unit, 'TimeoutStopSec'))).toBeGreaterThan(drainS + endingS + workS);
    expect(settingIn(unit, 'RestartPreventExitStatus')).toBe('78');
  },
);

test('both units have the same sandbox', () => {
  const [one, other] = units.map(({ name }) =>
    readUnit(name).slice(readUnit(name).indexOf('StateDirectory=')),
  );
  expect(one).toBe(other);
});
