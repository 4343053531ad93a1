import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig, settingNames } from '#shared/settings/config';
import { parseCidr } from '#shared/targets/classify-address';
import { findProgram } from '../../kit/programs.ts';
import { readYamlFile } from '../../kit/yaml.ts';

// The structure, and by Kubernetes' own schemas where kubectl-validate is installed (go install sigs.k8s.io/kubectl-validate@v0.0.4).
const validator = findProgram('kubectl-validate');

type Labels = Readonly<Record<string, string>>;
type Container = {
  readonly name: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly resources: object;
  readonly readinessProbe: object;
  readonly livenessProbe: object;
  readonly securityContext: object;
  readonly volumeMounts?: readonly { readonly name: string }[];
};
type Pod = {
  readonly containers: readonly [Container];
  readonly volumes?: readonly { readonly name: string }[];
  readonly securityContext: { readonly seccompProfile: object };
  readonly terminationGracePeriodSeconds?: number;
};
type IpBlock = { readonly cidr: string; readonly except: readonly string[] };
type Egress = { readonly to: readonly { readonly ipBlock?: IpBlock }[] };
type Resource = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly selector: { readonly matchLabels: Labels };
    readonly podSelector: { readonly matchLabels: Labels };
    readonly scaleTargetRef: { readonly name: string };
    readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: Pod };
    readonly policyTypes: readonly string[];
    readonly egress?: readonly Egress[];
  };
};

const files = globSync('deploy/kubernetes/*/*.yaml').filter(
  (path) => basename(path) !== 'kustomization.yaml',
);
const resources = files.flatMap((path) => readYamlFile(path) as Resource[]);
const ofKind = (kind: string) => resources.filter((resource) => resource.kind === kind);
const deployments = ofKind('Deployment');
const component = 'app.kubernetes.io/component';
const componentOf = (labels: Labels) => labels[component] ?? 'all';
const components = deployments.map(({ spec }) => componentOf(spec.template.metadata.labels));

// A Go program that neither npm nor Debian has, so it is asked only where it is installed, as in the workflow.
const described = validator === undefined ? [] : files.filter((each) => each.includes('/base/'));
test('Kubernetes’ own schemas know every field of every resource', () => {
  // KEDA's resources have schemas of their own, which it does not know.
  for (const path of described) {
    const told = execFileSync(validator ?? '', [path, '--version', '1.30'], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    expect(told).toContain('OK');
  }
});

test('every file is part of a kustomization, and every resource has a name of its own', () => {
  const listed = globSync('deploy/kubernetes/*/kustomization.yaml').flatMap((path) =>
    (readYamlFile(path) as { resources: string[] }[]).flatMap((file) =>
      file.resources.filter((name) => name.endsWith('.yaml')).map((name) => join(dirname(path), name)),
    ),
  );
  expect(files.toSorted()).toEqual(listed.toSorted());
  const names = resources.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
  expect(new Set(names).size).toBe(names.length);
});

test('there is an API, a network worker, a browser worker and a resolver', () => {
  expect(components.toSorted()).toEqual(['api', 'browser', 'resolver', 'worker']);
});

test.for(deployments)('$metadata.name selects its own pods and runs them without rights', ({ spec }) => {
  const { template, selector } = spec;
  const [container] = template.spec.containers;
  expect(template.metadata.labels).toEqual(selector.matchLabels);
  expect(template.spec).toMatchObject({
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, runAsUser: 10_001 },
  });
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  expect(container.resources).toMatchObject({
    requests: { cpu: expect.anything() as unknown, memory: expect.anything() as unknown },
    limits: { memory: expect.anything() as unknown },
  });
  const mounts = (container.volumeMounts ?? []).map(({ name }) => name);
  expect(mounts).toEqual((template.spec.volumes ?? []).map(({ name }) => name));
});

test.for(deployments.filter(({ spec }) => componentOf(spec.selector.matchLabels) !== 'resolver'))(
  '$metadata.name is asked whether it lives and is ready at its admin port, with settings that exist',
  ({ spec }) => {
    const [container] = spec.template.spec.containers;
    const admin = container.ports.find(({ name }) => name === 'admin');
    expect(admin?.containerPort).toBe(container.args?.[0] === 'api' ? 3001 : 3002);
    expect(container.readinessProbe).toMatchObject({ httpGet: { path: '/readyz', port: 'admin' } });
    expect(container.livenessProbe).toMatchObject({ httpGet: { path: '/livez', port: 'admin' } });
    const own = (container.env ?? []).map(({ name }) => name).filter((name) => name !== 'NODE_OPTIONS');
    expect(own.filter((name) => !settingNames.some((each) => each === name))).toEqual([]);
  },
);

test('the settings file holds settings that the service accepts', () => {
  const lines = readFileSync('deploy/kubernetes/base/settings.env', 'utf8').split('\n');
  const pairs = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split('='));
  expect(pairs.map(([name]) => name).filter((name) => !settingNames.some((each) => each === name))).toEqual(
    [],
  );
  const here = { DATA_DIR: ':memory:', REDIS_URL_FILE: '', MONGODB_URL_FILE: '' };
  expect(readConfig({ ...(Object.fromEntries(pairs) as Labels), ...here })).toMatchObject({
    AUTH_MODE: 'open',
  });
});

test('only the pods that load pages have the wider list of system calls', () => {
  const profiles = deployments.map(({ spec }) => [
    componentOf(spec.selector.matchLabels),
    spec.template.spec.securityContext.seccompProfile,
  ]);
  const usual = { type: 'RuntimeDefault' };
  expect(Object.fromEntries(profiles)).toEqual({
    api: usual,
    worker: usual,
    resolver: usual,
    browser: { type: 'Localhost', localhostProfile: 'profiles/chrome-seccomp.json' },
  });
});

test('budgets, policies and scalers name deployments that exist', () => {
  const selected = [...ofKind('PodDisruptionBudget'), ...ofKind('Service')].map(({ spec: { selector } }) =>
    componentOf(selector.matchLabels ?? (selector as unknown as Labels)),
  );
  const guarded = ofKind('NetworkPolicy').map(({ spec }) => componentOf(spec.podSelector.matchLabels));
  const known = new Set([...components, 'all']);
  expect([...selected, ...guarded].filter((name) => !known.has(name))).toEqual([]);
  expect(components.filter((name) => !selected.includes(name) || !guarded.includes(name))).toEqual([]);
  const names = deployments.map(({ metadata }) => metadata.name);
  expect(ofKind('ScaledObject').filter(({ spec }) => !names.includes(spec.scaleTargetRef.name))).toEqual([]);
});

const blocksOf = (name: string) =>
  ofKind('NetworkPolicy')
    .filter(({ spec }) => componentOf(spec.podSelector.matchLabels) === name)
    .flatMap(({ spec }) => spec.egress ?? [])
    .flatMap(({ to }) => to.flatMap(({ ipBlock }) => ipBlock ?? []));

test.for(['worker', 'browser', 'resolver'])(
  '%s reaches the world without private and special ranges',
  (name) => {
    const [ipv4, ipv6] = blocksOf(name);
    expect([ipv4?.cidr, ipv6?.cidr]).toEqual(['0.0.0.0/0', '::/0']);
    expect(ipv4?.except).toEqual(
      expect.arrayContaining([
        '10.0.0.0/8',
        '172.16.0.0/12',
        '192.168.0.0/16',
        '169.254.0.0/16',
        '127.0.0.0/8',
      ]),
    );
    expect(ipv6?.except).toEqual(expect.arrayContaining(['fc00::/7', 'fe80::/10']));
    for (const cidr of [...(ipv4?.except ?? []), ...(ipv6?.except ?? [])]) parseCidr(cidr);
  },
);

test('everything is denied that no policy allows, and the API reaches no address outside', () => {
  expect(blocksOf('api')).toEqual([]);
  const [all] = ofKind('NetworkPolicy').filter(
    ({ spec }) => componentOf(spec.podSelector.matchLabels) === 'all',
  );
  expect(all?.spec).toMatchObject({ policyTypes: ['Ingress', 'Egress'] });
  expect(all?.spec.egress).toBeUndefined();
});

const kubectl = findProgram('kubectl');

// The files are compared with each other above; where kubectl happens to be installed, it builds them as well.
test.for(kubectl === undefined ? [] : ['base', 'keda'])('kubectl builds %s', (name) => {
  const built = execFileSync(kubectl ?? '', ['kustomize', `deploy/kubernetes/${name}`], { encoding: 'utf8' });
  expect(built.match(/^kind: Deployment$/gm)).toHaveLength(4);
});
