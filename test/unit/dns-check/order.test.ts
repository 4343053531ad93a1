import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { rules } from '#shared/catalogue/dns-check/rules';
import { severities } from '#shared/model/verdict';
import { assessDnsCheck } from '../../../worker/checks/dns-check/assess.ts';
import { gatherDnsCheck } from '../../../worker/checks/dns-check/gather.ts';
import { apexTypes } from '../../../worker/checks/dns-check/halves.ts';
import { type Change, goodWorld } from './good-world.ts';
import { bodyOf, stubHttp } from './mail/zone-literal.ts';
import { probesOf } from './run-check.ts';
import { openWorld, type World } from './world.ts';

const dmarc = '_dmarc.good.test 3600 TXT v=DMARC1; p=reject; rua=mailto:dmarc@good.test';
const mail = [
  dmarc,
  '_smtp._tls.good.test 3600 TXT v=TLSRPTv1; rua=mailto:tls@good.test',
  '_mta-sts.good.test 3600 TXT v=STSv1; id=1',
  'mta-sts.good.test 3600 A 192.0.2.80',
  '@ 3600 MX 20 mail2.good.test',
  'mail2.good.test 3600 A 198.51.100.25',
];
const enforced = (host: string) => `version: STSv1\nmode: enforce\nmx: ${host}\nmax_age: 604800\n`;

type Fault = {
  readonly change?: Change;
  readonly without?: readonly string[];
  readonly policy?: string | null;
};

const failing = (...questions: string[]): Partial<World['resolver']> => ({
  instead: new Map(
    questions.map((question) => [
      question,
      { rcode: 'SERVFAIL', answers: [], authority: [], ede: [{ code: 22, text: '' }] },
    ]),
  ),
});
const silent = { failure: { code: 'timeout', reason: 'no answer within 3 tries' } } as const;
const servers = ['192.0.2.1', '2001:db8:1::1', '198.51.100.1', '2001:db8:2::1', '203.0.113.53'];
const without = (start: string, ...add: string[]): Fault => ({ change: { without: [start], add } });
const withDmarc = (text: string): Fault => ({
  without: [dmarc],
  change: { add: [`_dmarc.good.test 3600 TXT ${text}`] },
});
const withSpf = (text: string): Fault => without('@ 3600 TXT', `@ 3600 TXT ${text}`);
/** What is wrong, by the words of docs/scoring.md. */
const faults: { readonly [words: string]: Fault } = {
  'nothing is wrong': {},
  'no server answers for the zone': {
    change: {
      servers: Object.fromEntries(servers.map((address) => [address, silent])),
      resolver: { ...failing(...apexTypes.map((type) => `${type} good.test`)), failsBelow: 'good.test' },
    },
  },
  'signatures have expired': { change: { signatures: { fromS: -900_000, untilS: -90_000 } } },
  'the zone is not signed': { change: { signed: false } },
  'no mail host has a public address': {
    change: { without: ['mail.good.test 3600 A'], add: ['mail.good.test 3600 A 10.0.0.1'] },
    without: ['mail2.good.test 3600 A 198.51.100.25', '@ 3600 MX 20 mail2.good.test'],
  },
  'one of two mail hosts has no address': { without: ['mail2.good.test 3600 A 198.51.100.25'] },
  'the look-up of MX fails': { change: { resolver: failing('MX good.test') } },
  'there is no MX record': {
    ...without('@ 3600 MX 10'),
    without: ['@ 3600 MX 20 mail2.good.test'],
    policy: enforced('good.test'),
  },
  'an enforced MTA-STS policy allows no mail host': { policy: enforced('mx.other.test') },
  'there is no MTA-STS': {
    without: ['_mta-sts.good.test 3600 TXT v=STSv1; id=1', 'mta-sts.good.test 3600 A 192.0.2.80'],
    policy: null,
  },
  'there are no TLS reports': {
    without: ['_smtp._tls.good.test 3600 TXT v=TLSRPTv1; rua=mailto:tls@good.test'],
  },
  'SPF lets everybody send': withSpf('v=spf1 +all'),
  'the look-up of SPF fails': { change: { resolver: failing('TXT good.test') } },
  'there is no SPF record': without('@ 3600 TXT'),
  'SPF breaks the grammar': withSpf('v=spf1 mx ipv4:192.0.2.1 -all'),
  'SPF ends in ?all': withSpf('v=spf1 mx ?all'),
  'a term of SPF stands twice': withSpf('v=spf1 mx ip4:192.0.2.25 ip4:192.0.2.25 -all'),
  'the look-up of DMARC fails': { change: { resolver: failing('TXT _dmarc.good.test') } },
  'there is no DMARC record': { without: [dmarc] },
  'DMARC is p=none': withDmarc('v=DMARC1; p=none; rua=mailto:dmarc@good.test'),
  'DMARC is in test mode': withDmarc('v=DMARC1; p=reject; t=y; rua=mailto:dmarc@good.test'),
  'no DMARC report arrives': withDmarc('v=DMARC1; p=reject; rua=dmarc@good.test'),
  'no failure report arrives': withDmarc(
    'v=DMARC1; p=reject; rua=mailto:dmarc@good.test; ruf=dmarc@good.test',
  ),
  'fo has an unknown form': withDmarc(
    'v=DMARC1; p=reject; rua=mailto:dmarc@good.test; ruf=mailto:dmarc@good.test; fo=0:1:d:s',
  ),
  'one name server is silent': { change: { servers: { '198.51.100.1': silent } } },
  'one name server refuses': { change: { servers: { '198.51.100.1': { rcode: 'REFUSED' } } } },
  'there is only one name server': {
    change: {
      without: ['@ 3600 NS ns2', '@ 3600 NS ns.other'],
      parentWithout: ['good.test 3600 NS ns2', 'good.test 3600 NS ns.other', 'ns2.good.test'],
    },
  },
  'a name server fails for AAAA': { change: { servers: { '192.0.2.1': { failsFor: 'AAAA' } } } },
  'there is no AAAA record': without('@ 3600 AAAA'),
  'CAA shuts out every CA': without('@ 3600 CAA', '@ 3600 CAA 128 tbs x'),
  'there is no CAA record': without('@ 3600 CAA'),
};

async function scoreOf(words: string): Promise<number> {
  const { change = {}, without: dropped = [], policy } = faults[words] ?? {};
  const added = mail.filter((line) => !dropped.includes(line));
  const world = goodWorld({ ...change, add: [...added, ...(change.add ?? [])] });
  const { probe } = openWorld(world);
  const http = stubHttp(
    policy === null
      ? {
          kind: 'failure',
          url: '',
          code: 'connection-refused',
          reason: 'the connection was refused',
          address: null,
        }
      : { body: bodyOf(policy ?? enforced('*.good.test')) },
  );
  const evidence = await gatherDnsCheck({
    target: 'good.test',
    options: {},
    probes: { ...probesOf(probe), http },
    progress: () => undefined,
  });
  return assessDnsCheck(evidence).score ?? Number.NaN;
}

// The table of docs/scoring.md is the table of this test.
const text = readFileSync(new URL('../../../docs/scoring.md', import.meta.url), 'utf8');
const section = text.slice(text.indexOf('### The order in dns-check'));
const pairs = [...section.matchAll(/^\| ([^|]+) \| (worse than|at least as bad as) \| ([^|]+) \|$/gm)].map(
  ([, worse = '', relation = '', better = '']) => ({ worse, relation, better }),
);

describe('the order of faults', () => {
  test('has twenty pairs or more, of faults that are known here', () => {
    expect(pairs.length).toBeGreaterThanOrEqual(20);
    expect(pairs.flatMap(({ worse, better }) => [worse, better]).filter((one) => !(one in faults))).toEqual(
      [],
    );
  });

  test.for(pairs)('$worse: $relation $better', async ({ worse, relation, better }) => {
    const [low, high] = [await scoreOf(worse), await scoreOf(better)];
    console.log(`${worse} ${low} · ${better} ${high}`);
    expect(relation === 'worse than' ? low < high : low <= high).toBe(true);
  });
});

describe('the table of rules', () => {
  // Those without points say what could not be asked, or inform.
  const all = Object.values(rules).filter(({ points }) => points > 0);
  const pointsOf = (severity: string) =>
    all.filter((rule) => rule.severity === severity).map(({ points }) => points);

  test('no rule costs more than one of a higher severity', () => {
    const bands = severities.map(pointsOf).filter((points) => points.length > 0);
    const wrong = bands.slice(1).filter((points, at) => Math.max(...points) > Math.min(...(bands[at] ?? [])));
    expect(wrong).toEqual([]);
  });
});
