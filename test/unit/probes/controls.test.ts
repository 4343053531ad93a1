import { describe, expect, test } from 'vitest';
import type { DnsAnswer, DnsQuestion } from '../../../worker/probes/dns/port.ts';
import { readListedRegistries } from '../../../worker/probes/rdap/registries.ts';
import { faultOf } from '../../../worker/probes/vantage/clock-control.ts';
import { listedControls, namedControls } from '../../../worker/probes/vantage/control-hosts.ts';
import { openControls } from '../../../worker/probes/vantage/controls.ts';
import { openVantage } from '../../../worker/probes/vantage/open.ts';
import type { ControlWire, HttpsOutcome } from '../../../worker/probes/vantage/port.ts';
import { kindsOf } from '../../../worker/probes/vantage/ways.ts';
import { dnsReply } from '../../kit/dns-reply.ts';

const soa = { name: 'com', type: 'SOA', ttl: 60, data: { minimum: 60 } };
const failure = (question: DnsQuestion): DnsAnswer => ({
  kind: 'failure',
  question,
  code: 'timeout',
  reason: 'no answer in time',
  server: '',
});
const secured: HttpsOutcome = {
  kind: 'secured',
  isPublic: true,
  isStrange: false,
  isKnown: false,
  aheadMs: 200,
};

type World = Partial<
  Pick<ControlWire, 'askServer' | 'askResolver' | 'lookAtHttps' | 'registriesOf' | 'controlHosts'>
>;

/** The internet as it is, but for what a test changes; with all that was asked. */
function openWorld(world: World = {}) {
  let now = 1e7;
  const asked: string[] = [];
  const wire: ControlWire = {
    controlHosts: listedControls,
    registriesOf: () => [],
    hasRoute: async () => true,
    now: () => now,
    async askServer(address, question) {
      asked.push(address);
      if (address === '192.0.2.1') return failure(question);
      return dnsReply(question, { flags: { ...dnsReply(question).flags, aa: true, ra: false } });
    },
    async askResolver(question) {
      asked.push(`${question.name} ${question.type}`);
      const isMadeUp = /^[0-9a-f]{18}/.test(question.name);
      const record = { name: question.name, type: question.type, ttl: 60, data: 'x' };
      if (isMadeUp) return dnsReply(question, { rcode: 'NXDOMAIN', authority: [soa] });
      return dnsReply(question, { answers: [record], sizeBytes: 864 });
    },
    async lookAtHttps({ host }) {
      asked.push(host);
      return secured;
    },
    ...world,
  };
  const counted: ControlWire = {
    ...wire,
    askServer: (...all) => (world.askServer && asked.push(all[0]), wire.askServer(...all)),
    askResolver: (...all) => (world.askResolver && asked.push(all[0].name), wire.askResolver(...all)),
    lookAtHttps: (...all) => (world.lookAtHttps && asked.push(all[0].host), wire.lookAtHttps(...all)),
  };
  const vantage = openVantage({
    ignoresProxy: false,
    now: () => now,
    controls: (notes) => openControls(counted, notes),
  });
  return {
    vantage,
    asked,
    wait: (ms: number) => void (now += ms),
    missing: () => kindsOf(vantage.missing()),
    async fails(host: string, way: 'https/4' | 'tls' | 'large-packets/4' = 'https/4') {
      const run = vantage.openRun();
      return (await run.blame({ ways: [way], since: now, host, address: '93.184.216.34' })).ours;
    },
  };
}

const refused = async (): Promise<HttpsOutcome> => ({ kind: 'not-connected' });
const silentServer: ControlWire['askServer'] = async (_, question) => failure(question);
const silentResolver: ControlWire['askResolver'] = async (question) => failure(question);

describe('a survey', () => {
  test('in a healthy network finds nothing missing, with 20 questions at most', async () => {
    const { vantage, asked, missing } = openWorld();
    await vantage.surveyOnceAnHour();
    expect(missing()).toEqual([]);
    expect(asked.length).toBeLessThanOrEqual(20);
    const operators = listedControls.filter(({ host }) => asked.includes(host));
    expect(operators.length).toBe(2);
  });

  test.for<[string, World, readonly string[]]>([
    [
      'where nothing passes',
      {
        askServer: silentServer,
        askResolver: silentResolver,
        lookAtHttps: async () => ({ kind: 'unknown' }),
      },
      ['resolver', 'dns-direct'],
    ],
    [
      'where only the own resolver does',
      { askServer: silentServer, lookAtHttps: refused },
      ['dns-direct', 'https'],
    ],
    ['where port 443 is closed', { lookAtHttps: refused }, ['https']],
    [
      'where TLS is read along',
      { lookAtHttps: async () => ({ ...secured, isPublic: false, isStrange: true }) },
      ['tls'],
    ],
  ])('%s costs 30 questions at most', async ([, world, expected]) => {
    const { vantage, asked, missing } = openWorld(world);
    await vantage.surveyOnceAnHour();
    expect(missing()).toEqual(expected);
    expect(asked.length).toBeLessThanOrEqual(30);
  });
});

describe('two of unrelated operators', () => {
  /** Whoever is asked first. */
  let first: string | undefined;
  const oneFails: World['lookAtHttps'] = async ({ host }) => {
    first ??= host;
    return host === first ? refused() : secured;
  };

  test.for<[string, World['lookAtHttps'], boolean]>([
    ['one fails, the next works', oneFails, false],
    ['all fail', refused, true],
    ['none of their names resolves', async () => ({ kind: 'unknown', isAbsent: true }), false],
    ['their chains fail by their times alone', async () => ({ ...secured, isPublic: false }), false],
  ])('%s', async ([, lookAtHttps, isOurs]) => {
    const { fails } = openWorld({ lookAtHttps: lookAtHttps ?? refused });
    expect((await fails('a.example')) !== undefined).toBe(isOurs && lookAtHttps === refused);
    expect((await fails('a.example', 'tls')) !== undefined).toBe(false);
  });

  test('are at least eight', () => {
    expect(listedControls.length).toBeGreaterThanOrEqual(8);
    expect(new Set(listedControls.map(({ operator }) => operator)).size).toBe(listedControls.length);
  });

  test('hosts of one domain are one operator', async () => {
    const controlHosts = namedControls(['a.example.org', 'b.example.org']);
    const [own, listed] = [namedControls(['whois.nominet.uk']), listedControls];
    expect(listed.map(({ operator }) => operator)).toContain(own[0]?.operator);
    const { fails, missing } = openWorld({ controlHosts, lookAtHttps: refused });
    expect([await fails('a.example'), missing()]).toEqual([undefined, []]);
  });

  test('neither the target’s own host nor its registry is asked', async () => {
    const { fails, asked } = openWorld({
      lookAtHttps: refused,
      registriesOf: () => listedControls.slice(2).map(({ host }) => host),
      controlHosts: listedControls,
    });
    await fails('rdap.verisign.com');
    expect(asked.filter((host) => host === 'rdap.verisign.com')).toEqual([]);
  });

  test('one that works ends it at once, and for a minute nobody is asked', async () => {
    let isClosed = true;
    const { vantage, fails, missing, wait, asked } = openWorld({
      lookAtHttps: async () => (isClosed ? refused() : secured),
    });
    expect([await fails('a.example'), missing()]).toEqual([expect.stringContaining('443'), ['https']]);
    isClosed = false;
    wait(400_000);
    expect([await vantage.openRun().lacks(['https/4']), missing()]).toEqual([undefined, []]);
    const before = asked.length;
    expect([await fails('b.example'), asked.length - before]).toEqual([undefined, 0]);
  });
});

test('10,000 hostile targets of dead registries take nothing away from others, and leave the survey its questions', async () => {
  const { vantage, fails, missing, asked, wait } = openWorld({ registriesOf: () => ['dead.example'] });
  for (let at = 0; at < 10_000; at += 1) {
    if (at % 100 === 0) wait(30_000);
    await fails(`h${at}.example`);
  }
  expect([missing(), await fails('healthy.example')]).toEqual([[], undefined]);
  expect(asked.includes('dead.example')).toBe(false);
  const before = asked.length;
  await vantage.surveyOnceAnHour();
  expect(asked.length - before).toBeGreaterThan(10);
});

describe('a NAT64', () => {
  const mapped = { name: 'ipv4only.arpa', type: 'AAAA', ttl: 60, data: '2001:db8:64::c000:aa' };
  const answering = (says: () => DnsAnswer | undefined): ControlWire['askResolver'] => {
    return async (question) => {
      if (question.name === 'ipv4only.arpa') return says() ?? failure(question);
      return dnsReply(question, { rcode: 'NXDOMAIN', authority: [soa] });
    };
  };
  const question = { name: 'ipv4only.arpa', type: 'AAAA' };

  test('is forgotten only by an answer', async () => {
    let says: DnsAnswer | undefined = dnsReply(question, { answers: [mapped] });
    const { vantage, wait } = openWorld({ askResolver: answering(() => says) });
    const run = vantage.openRun();
    await run.traits();
    const inside = () => run.inside('2001:db8:64::a00:1');
    expect([await run.knowsNat64(), inside()]).toEqual([true, '10.0.0.1']);
    says = undefined;
    wait(3_700_000);
    await run.traits();
    expect([await run.knowsNat64(), inside()]).toEqual([true, '10.0.0.1']);
    says = dnsReply(question);
    wait(3_700_000);
    await run.traits();
    expect([await run.knowsNat64(), inside()]).toEqual([true, undefined]);
  });

  test('is not known while nobody answers, and no failing target uses up its question', async () => {
    let says: DnsAnswer | undefined;
    const { vantage, fails, wait } = openWorld({ askResolver: answering(() => says) });
    for (let at = 0; at < 200; at += 1) {
      await fails(`h${at}.example`);
      wait(61_000);
    }
    const run = vantage.openRun();
    expect(await run.knowsNat64()).toBe(false);
    says = dnsReply(question);
    wait(130_000);
    expect(await run.knowsNat64()).toBe(true);
  });
});

test('each host of the table is one of IANA’s list', () => {
  const bases = [...readListedRegistries().values()].flat().map((base) => new URL(base).hostname);
  expect(listedControls.map(({ host }) => host).filter((host) => !bases.includes(host))).toEqual([]);
});

describe('a clock outside of when signatures hold', () => {
  const [from, to] = [1_000_000_000, 2_000_000_000];
  const windows = [
    { from, to },
    { from: from + 1000, to: to + 1000 },
  ];
  test.for<[string, number, 'slow' | 'fast' | undefined]>([
    ['inside', 1_500_000_000, undefined],
    ['before both', 900_000_000, 'slow'],
    ['behind both', 2_100_000_000, 'fast'],
    ['behind one', to + 500, undefined],
  ])('%s', ([, nowMs, expected]) => {
    const fault = faultOf(windows, nowMs);
    const isSlow = (fault?.offsetMs ?? 0) > 0;
    expect(fault && (isSlow ? 'slow' : 'fast')).toBe(expected);
    // The farther end is farther in the same direction.
    expect(Math.abs(fault?.mostMs ?? 0)).toBeGreaterThanOrEqual(Math.abs(fault?.offsetMs ?? 0));
  });
});
