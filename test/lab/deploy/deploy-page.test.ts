import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { version } from '#shared/model/version';
import { readConfig } from '#shared/settings/config';
import { environmentOf, readComposeFile } from '../../kit/compose.ts';
import { findProgram } from '../../kit/programs.ts';
import { readYamlFile } from '../../kit/yaml.ts';

const page = readFileSync('docs/deploy.md', 'utf8');
const [, block = ''] = /```sh\n(PUBLIC_URL=[\s\S]*?)```/.exec(page) ?? [];
const settings = Object.fromEntries(
  block
    .trim()
    .split('\n')
    .map((line) => line.split('=') as [string, string]),
);

test('the eight settings of the page are valid, and compose gives them to the API', () => {
  expect(Object.keys(settings)).toHaveLength(8);
  expect(readConfig(settings)).toMatchObject({
    TRUST_PROXY: 1,
    LIMIT_ANON_SCANS: { points: 20 },
  });
  const { api } = readComposeFile().services;
  expect(environmentOf(api ?? { image: '' }, settings)).toMatchObject(settings);
});

test('it names the version that runs', () => {
  expect(page).toContain(`DiagnosticTools/${version};`);
});

const caddy = findProgram('caddy');
test.runIf(caddy)('Caddy takes the Caddyfile', () => {
  const args = ['validate', '--config', 'deploy/Caddyfile', '--adapter', 'caddyfile'];
  expect(execFileSync(caddy ?? '', args, { encoding: 'utf8' })).toContain('Valid configuration');
});

test('the Ingress leads to the Service of the API', () => {
  const [ingress] = readYamlFile('deploy/kubernetes/ingress.yaml');
  const services = readYamlFile('deploy/kubernetes/base/api.yaml').filter(
    (one) => (one as { kind: string }).kind === 'Service',
  );
  expect(services).toMatchObject([{ metadata: { name: 'diag-api' }, spec: { ports: [{ name: 'http' }] } }]);
  expect(ingress).toMatchObject({
    kind: 'Ingress',
    metadata: { namespace: 'diag' },
    spec: {
      rules: [{ http: { paths: [{ backend: { service: { name: 'diag-api', port: { name: 'http' } } } }] } }],
    },
  });
});
