import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Report } from '#shared/model/report';
import { skipReason } from '../dns-check/debian-tools.ts';
import { openNetwork } from './network.ts';
import { type NetworkName, networks } from './networks.ts';
import { type Environment, type LabCheck, openService, runCheck } from './run-check.ts';
import { openWorld, type World } from './world.ts';

const reason = skipReason('networks', [
  'ip',
  'nft',
  'nginx',
  'openssl',
  'ethtool',
  'socat',
  'tayga',
  'faketime',
]);

type Row = {
  readonly network: NetworkName;
  readonly check: LabCheck;
  readonly target?: string;
  readonly env?: Environment;
  /** What the report says that the network cannot do. */
  readonly missing: readonly string[];
  /** null where too little was seen. */
  readonly score: number | null;
  /** High and critical findings; none where left out. */
  readonly grave?: readonly string[];
};

const controls = { CONTROL_HOSTS: 'one.org,two.net' };
const page = 'https://healthy.com/';
const bootstrap = join(mkdtempSync(join(tmpdir(), 'networks-')), 'dns.json');
writeFileSync(bootstrap, JSON.stringify({ services: [[['com'], ['https://closed.com/rdap/']]] }));
/** The controls that the service knows by heart, and a registry of com that is down. */
const registries = { PROBE_RDAP: 'on', RDAP_BOOTSTRAP_FILE: bootstrap };

const rows: readonly Row[] = [
  { network: 'port 53 redirected to the resolver', check: 'dns-check', missing: ['dns-direct'], score: 99 },
  { network: 'port 53 redirected to the resolver', check: 'ssl-check', missing: [], score: 100 },
  { network: 'port 53 dropped', check: 'dns-check', missing: ['dns-direct'], score: 99 },
  { network: 'port 53 rejected', check: 'dns-check', missing: ['dns-direct'], score: 99 },
  { network: 'TCP 53 blocked', check: 'dns-check', missing: ['dns-tcp'], score: 99 },
  { network: 'EDNS dropped', check: 'dns-check', missing: ['edns'], score: 99 },
  { network: 'EDNS dropped', check: 'ssl-check', missing: ['edns'], score: 100 },
  { network: 'resolver knows no new types (NOTIMP)', check: 'dns-check', missing: ['dns-types'], score: 99 },
  { network: 'resolver knows no new types (empty)', check: 'dns-check', missing: ['dns-types'], score: 99 },
  { network: 'resolver of 512 octets without TCP', check: 'dns-check', missing: [], score: 99 },
  { network: 'resolver without EDNS over UDP', check: 'dns-check', missing: [], score: 99 },
  {
    network: 'resolver without EDNS over UDP, no new types (NOTIMP)',
    check: 'dns-check',
    missing: ['dns-types'],
    score: 99,
  },
  {
    network: 'resolver without EDNS over UDP, no new types (empty)',
    check: 'dns-check',
    missing: ['dns-types'],
    score: 99,
  },
  { network: 'resolver without EDNS, of 512 octets without TCP', check: 'dns-check', missing: [], score: 99 },
  { network: 'NXDOMAIN rewritten', check: 'dns-check', missing: ['honest-dns'], score: 99 },
  {
    network: 'NXDOMAIN rewritten',
    check: 'dns-check',
    target: 'nowhere.com',
    missing: ['honest-dns'],
    score: null,
    grave: ['domain-not-found'],
  },
  {
    network: 'NXDOMAIN rewritten',
    check: 'redirect-check',
    target: 'http://nowhere.com/',
    missing: ['honest-dns'],
    score: null,
    grave: ['target-unreachable'],
  },
  {
    network: 'resolver blocks the domain (NXDOMAIN)',
    check: 'dns-check',
    missing: ['honest-dns'],
    score: 99,
  },
  {
    network: 'resolver blocks the domain (NXDOMAIN)',
    check: 'redirect-check',
    target: 'https://www.healthy.com/',
    missing: ['honest-dns'],
    score: 100,
  },
  {
    network: 'resolver blocks the domain (NXDOMAIN)',
    check: 'ssl-check',
    missing: ['honest-dns'],
    score: 100,
  },
  {
    network: 'resolver blocks the domain (0.0.0.0)',
    check: 'dns-check',
    missing: ['honest-dns'],
    score: 99,
  },
  {
    network: 'resolver blocks the domain (0.0.0.0)',
    check: 'redirect-check',
    target: 'https://www.healthy.com/',
    missing: ['honest-dns'],
    score: 100,
  },
  {
    network: 'resolver blocks the domain (0.0.0.0)',
    check: 'ssl-check',
    missing: ['honest-dns'],
    score: 100,
  },
  {
    network: 'resolver blocks the domain (REFUSED)',
    check: 'dns-check',
    missing: ['honest-dns'],
    score: 99,
  },
  {
    network: 'resolver blocks the domain (REFUSED)',
    check: 'redirect-check',
    target: 'https://www.healthy.com/',
    missing: ['honest-dns'],
    score: 100,
  },
  {
    network: 'resolver blocks the domain (REFUSED)',
    check: 'ssl-check',
    missing: ['honest-dns'],
    score: 100,
  },
  {
    network: 'resolver blocks the domain (NXDOMAIN)',
    check: 'dns-check',
    target: 'nowhere.com',
    missing: [],
    score: null,
    grave: ['domain-not-found'],
  },
  {
    network: 'resolver denies every name',
    check: 'dns-check',
    missing: ['honest-dns'],
    score: null,
  },
  {
    network: 'resolver denies every name',
    check: 'redirect-check',
    target: 'http://nowhere.com/',
    missing: ['honest-dns'],
    score: null,
  },
  {
    network: 'resolver denies every name',
    check: 'domain-health',
    target: 'nowhere.com',
    missing: ['honest-dns'],
    score: null,
  },
  {
    network: 'resolver proves nothing',
    check: 'dns-check',
    missing: [],
    score: 99,
  },
  {
    network: 'resolver proves nothing',
    check: 'dns-check',
    target: 'nowhere.com',
    missing: [],
    score: null,
    grave: ['domain-not-found'],
  },
  {
    network: 'resolver proves nothing',
    check: 'redirect-check',
    target: 'http://nowhere.com/',
    missing: [],
    score: null,
    grave: ['target-unreachable'],
  },
  {
    network: 'resolver proves nothing, port 53 dropped',
    check: 'dns-check',
    target: 'nowhere.com',
    missing: ['dns-direct'],
    score: null,
    grave: ['domain-not-found'],
  },
  {
    network: 'resolver blocks the domain, port 53 dropped',
    check: 'dns-check',
    missing: ['dns-direct', 'honest-dns'],
    score: null,
  },
  {
    network: 'resolver blocks the domain, port 53 dropped',
    check: 'dns-check',
    target: 'nowhere.com',
    missing: ['dns-direct'],
    score: null,
    grave: ['domain-not-found'],
  },
  { network: 'IPv6 only, with DNS64 and NAT64', check: 'dns-check', missing: ['ipv4'], score: 99 },
  {
    network: 'IPv6 only, with DNS64 and NAT64',
    check: 'dns-check',
    target: 'fouronly.com',
    missing: ['ipv4'],
    score: 96,
  },
  {
    network: 'IPv6 only, with DNS64 and NAT64',
    check: 'redirect-check',
    target: 'http://fouronly.com/',
    missing: ['ipv4'],
    score: 100,
  },
  {
    network: 'IPv4 only',
    check: 'redirect-check',
    target: 'http://sixonly.com/',
    missing: ['ipv6'],
    score: null,
  },
  { network: 'IPv4 only', check: 'ssl-check', target: 'sixonly.com', missing: ['ipv6'], score: null },
  { network: 'IPv6 leads nowhere', check: 'ssl-check', missing: ['ipv6'], score: 100 },
  { network: 'IPv6 leads nowhere', check: 'redirect-check', target: page, missing: ['ipv6'], score: 100 },
  {
    network: 'longer than 1400 lost',
    check: 'ssl-check',
    env: controls,
    missing: ['large-packets'],
    score: null,
  },
  {
    network: 'longer than 1280 lost',
    check: 'redirect-check',
    target: page,
    env: controls,
    missing: ['large-packets'],
    score: null,
  },
  { network: 'port 443 reset', check: 'ssl-check', env: controls, missing: ['https'], score: null },
  {
    network: 'port 443 reset behind the first data',
    check: 'redirect-check',
    target: page,
    env: controls,
    missing: ['https'],
    score: null,
  },
  // Who asks nobody tells each failure as the target's.
  {
    network: 'port 443 reset',
    check: 'ssl-check',
    env: { ...controls, CONTROLS: 'off' },
    missing: [],
    score: null,
    grave: ['connection-refused'],
  },
  {
    network: 'port 443 reset',
    check: 'security-header-check',
    target: page,
    env: controls,
    missing: ['https'],
    score: null,
  },
  {
    network: 'port 443 prohibited',
    check: 'redirect-check',
    target: page,
    env: controls,
    missing: ['https'],
    score: null,
  },
  {
    network: 'only an HTTP proxy leads out',
    check: 'redirect-check',
    target: page,
    env: controls,
    missing: ['https'],
    score: null,
  },
  { network: 'TLS intercepted', check: 'ssl-check', env: controls, missing: ['tls'], score: null },
  {
    // The certificates of those that are known by heart are public, so that those of the operator's own authority are an interceptor's.
    network: 'TLS intercepted, its authority trusted',
    check: 'ssl-check',
    env: registries,
    missing: ['tls'],
    score: null,
  },
  { network: 'good', check: 'ssl-check', env: controls, missing: [], score: 100 },
  {
    network: 'good',
    check: 'redirect-check',
    target: 'https://closed.com/',
    env: registries,
    missing: [],
    score: null,
    grave: ['target-unreachable'],
  },
  {
    network: 'good',
    check: 'ssl-check',
    target: 'closed.com',
    env: registries,
    missing: [],
    score: null,
    grave: ['connection-refused'],
  },
  { network: 'port 443 reset', check: 'ssl-check', env: registries, missing: ['https'], score: null },
  {
    network: 'longer than 1400 lost',
    check: 'ssl-check',
    env: registries,
    missing: ['large-packets'],
    score: null,
  },
  {
    network: 'port 53 of IPv4 redirected to the resolver',
    check: 'dns-check',
    missing: ['dns-direct'],
    score: 99,
  },
  { network: 'port 53 of IPv4 redirected to the resolver', check: 'ssl-check', missing: [], score: 100 },
  { network: 'IPv6 without TCP', check: 'dns-check', missing: ['ipv6'], score: 99 },
  { network: 'IPv6 without TCP', check: 'ssl-check', missing: ['ipv6'], score: 100 },
  {
    network: 'IPv6 without TCP',
    check: 'redirect-check',
    target: page,
    env: controls,
    missing: ['ipv6'],
    score: 100,
  },
  {
    network: 'longer than 1400 lost over IPv6',
    check: 'ssl-check',
    env: controls,
    missing: ['large-packets'],
    score: 100,
  },
  {
    network: 'longer than 1400 lost over IPv6',
    check: 'redirect-check',
    target: page,
    env: controls,
    missing: ['large-packets'],
    score: 100,
  },
  ...(['clock 10 minutes slow', 'clock 2 days slow', 'clock 70 days fast'] as const).flatMap(
    (network): readonly Row[] => [
      { network, check: 'ssl-check', env: controls, missing: ['clock'], score: 100 },
      { network, check: 'redirect-check', target: page, env: controls, missing: ['clock'], score: 100 },
    ],
  ),
  { network: 'clock 2 days slow', check: 'dns-check', missing: ['clock'], score: 99 },
  { network: 'clock 70 days fast', check: 'dns-check', missing: ['clock'], score: 99 },
  { network: 'clock 70 days fast', check: 'ssl-check', missing: ['clock'], score: 100 },
  {
    network: 'captive portal',
    check: 'redirect-check',
    target: 'http://healthy.com/',
    env: controls,
    missing: ['https'],
    score: null,
  },
  { network: 'captive portal', check: 'ssl-check', env: controls, missing: ['https'], score: null },
  {
    network: 'first resolver denies the domain, with proof',
    check: 'dns-check',
    missing: ['honest-dns'],
    score: 99,
  },
  {
    network: 'first resolver denies the domain, with proof',
    check: 'ssl-check',
    missing: ['honest-dns'],
    score: 100,
  },
  {
    network: 'first resolver denies the domain, with proof',
    check: 'dns-check',
    target: 'nowhere.com',
    missing: [],
    score: null,
    grave: ['domain-not-found'],
  },
  {
    network: 'resolver denies no name (NODATA)',
    check: 'dns-check',
    target: 'nowhere.com',
    missing: ['honest-dns'],
    score: null,
    grave: ['domain-not-found'],
  },
  { network: 'FORMERR to EDNS, late', check: 'dns-check', missing: [], score: 99 },
  { network: 'FORMERR to EDNS, late', check: 'ssl-check', missing: [], score: 100 },
  {
    network: 'IPv6 only, with DNS64 without NAT64',
    check: 'redirect-check',
    target: 'http://fouronly.com/',
    missing: ['ipv4'],
    score: null,
  },
  { network: 'with DNS64 without NAT64', check: 'dns-check', missing: [], score: 99 },
  { network: 'resolver truncates and drops TCP', check: 'dns-check', missing: [], score: 99 },
  { network: 'resolver fails for a quarter (SERVFAIL)', check: 'dns-check', missing: [], score: 99 },
  { network: 'IPv6 wakes up', check: 'redirect-check', target: page, missing: [], score: 100 },
  {
    network: 'only the own resolver passes',
    check: 'redirect-check',
    target: 'http://healthy.com/',
    env: controls,
    missing: ['https'],
    score: null,
  },
  { network: 'resolver silent', check: 'dns-check', missing: ['resolver'], score: null },
  { network: 'resolver not there', check: 'ssl-check', missing: ['resolver'], score: null },
  {
    network: 'resolver fails always (SERVFAIL)',
    check: 'redirect-check',
    target: page,
    missing: ['resolver'],
    score: null,
  },
  { network: 'resolver at a link-local address', check: 'dns-check', missing: [], score: 99 },
  { network: 'slow resolver', check: 'dns-check', missing: [], score: 99 },
  { network: 'first resolver silent', check: 'ssl-check', missing: [], score: 100 },
  // What is really broken is told from a good network as ever.
  {
    network: 'good',
    check: 'dns-check',
    target: 'lame.com',
    missing: [],
    score: 0,
    grave: ['ns-none-answers'],
  },
  {
    network: 'good',
    check: 'ssl-check',
    target: 'closed.com',
    missing: [],
    score: null,
    grave: ['connection-refused'],
  },
  {
    network: 'good',
    check: 'redirect-check',
    target: 'https://expired.com/',
    missing: [],
    score: 50,
    grave: ['certificate-not-trusted'],
  },
];

let world: World;
beforeAll(async () => {
  if (reason === undefined) world = await openWorld();
});
afterAll(() => world?.close());

describe.skipIf(reason !== undefined)('what this network cannot do is not told as the target’s fault', () => {
  const names = [...new Set(rows.map(({ network }) => network))];
  test.for(names)('%s', { timeout: 120_000 }, async (name) => {
    const network = await openNetwork(world, networks[name]);
    try {
      const own = rows.filter((row) => row.network === name);
      for (const { check, target = 'healthy.com', env = {}, missing, score, grave = [] } of own) {
        const { report } = await runCheck(network, check, target, env);
        const found = report.findings.filter(
          ({ severity }) => severity === 'high' || severity === 'critical',
        );
        expect({
          check,
          target,
          missing: report.vantage?.missing,
          score: report.score,
          grave: found.map(({ code }) => code),
        }).toEqual({ check, target, missing, score, grave });
        const freshS = (Date.parse(report.freshUntil) - Date.parse(report.checkedAt)) / 1000;
        expect(freshS).toBeLessThanOrEqual(missing.length > 0 ? 300 : 86_400);
      }
    } finally {
      await network.close();
    }
  });

  test('200 hosts of a registry that is down take https away from nobody', { timeout: 240_000 }, async () => {
    const network = await openNetwork(world, networks.good);
    const service = await openService(network, { ...registries, ...controls, RATE_LIMIT: 'off' });
    try {
      const left = Array.from({ length: 200 }, (_, at) => `h${at}.closed.com`);
      const states: unknown[] = [];
      const askOn = async () => {
        for (let host = left.pop(); host !== undefined; host = left.pop()) {
          const { body } = await service.ask(`/api/tools/redirect-check?url=https%3A%2F%2F${host}%2F`);
          states.push((body as Report).vantage?.missing);
        }
      };
      await Promise.all([askOn(), askOn(), askOn(), askOn()]);
      expect(states.filter((missing) => JSON.stringify(missing) !== '[]')).toEqual([]);
      const { body } = await service.ask('/api/tools/redirect-check?url=https%3A%2F%2Fhealthy.com%2F');
      expect(body).toMatchObject({ state: 'complete', grade: 'A+', vantage: { missing: [] } });
      expect(service.lines.filter((line) => JSON.stringify(line).includes('"missing":"https"'))).toEqual([]);
    } finally {
      await service.close();
      await network.close();
    }
  });

  test('a service learns it once, and is quick from then on', { timeout: 120_000 }, async () => {
    const network = await openNetwork(world, networks['port 53 dropped']);
    const service = await openService(network, { VANTAGE_ID: 'lab' });
    try {
      const tells = () => service.lines.some((line) => JSON.stringify(line).includes('dns-direct'));
      await expect.poll(tells, { timeout: 60_000 }).toBe(true);
      const { body } = await service.ask('/api/tools/dns-check/healthy.com?wait=50');
      expect(body).toMatchObject({ vantage: { id: 'lab', missing: ['dns-direct'] }, grade: 'A' });
    } finally {
      await service.close();
      await network.close();
    }
  });
});
