import { describe, expect, test } from 'vitest';
import { dnsCheck } from '#shared/catalogue/dns-check/spec';
import { makeReport } from '#shared/model/report';
import { apexTypes } from '../../../worker/checks/dns-check/halves.ts';
import { type Change, goodWorld } from './good-world.ts';
import { checkIn } from './run-check.ts';
import type { ServerManner, World } from './world.ts';

const servers = ['192.0.2.1', '2001:db8:1::1', '198.51.100.1', '2001:db8:2::1', '203.0.113.53'];
const parentServer = '203.0.113.1';
const silent = { failure: { code: 'timeout', reason: 'no answer within 3 tries' } } as const;
const closed = { failure: { code: 'network-unreachable', reason: 'no route leads there' } } as const;
const every = (manner: Partial<ServerManner>): NonNullable<Change['servers']> =>
  Object.fromEntries(servers.map((address) => [address, manner]));

type Resolver = Partial<World['resolver']>;
type Answer = NonNullable<World['resolver']['instead']> extends ReadonlyMap<string, infer A> ? A : never;

const servfail: Answer = { rcode: 'SERVFAIL', answers: [], authority: [] };
const withError = (code: number): Answer => ({ ...servfail, ede: [{ code, text: '' }] });
const apex = (answer: Answer, but: readonly string[] = []) =>
  new Map(
    apexTypes.filter((type) => !but.includes(type)).map((type) => [`${type} good.test`, answer] as const),
  );
const failing = (answer: Answer, but: readonly string[] = []): Resolver => ({
  instead: apex(answer, but),
  failsBelow: 'good.test',
});
const stale: Answer = { ede: [{ code: 3, text: '' }] };
const insideOnly = {
  without: ['@ 3600 NS ns.other'],
  parentWithout: ['good.test 3600 NS ns.other'],
} as const;
const onlyIpv6: Change = {
  without: [...insideOnly.without, 'ns1.good.test 3600 A ', 'ns2.good.test 3600 A '],
  parentWithout: [...insideOnly.parentWithout, 'ns1.good.test 3600 A ', 'ns2.good.test 3600 A '],
};
const delegatedTo = (...lines: readonly string[]): Change => ({
  parentWithout: ['good.test 3600 NS', 'ns1', 'ns2'],
  parentAdd: lines,
});

const expected = {
  F: { state: 'complete', score: 0, dnsScore: 0, grade: 'F', exists: true },
  null: { state: 'unreachable', score: null, dnsScore: null, grade: null },
  any: { state: 'complete' },
} as const;

type Kind = { readonly name: string; readonly change: Change; readonly grade: 'F' | null | 'any' };

const kinds: readonly Kind[] = [
  {
    name: 'all servers silent, the parent answers',
    change: { servers: every(silent), resolver: failing(servfail) },
    grade: 'F',
  },
  {
    name: 'all servers refuse',
    change: { servers: every({ rcode: 'REFUSED' }), resolver: failing(servfail) },
    grade: 'F',
  },
  {
    name: 'all servers answer SERVFAIL',
    change: { servers: every({ rcode: 'SERVFAIL' }), resolver: failing(servfail) },
    grade: 'F',
  },
  {
    name: 'all servers refer to the root',
    change: { servers: every({ zones: [], refersTo: '' }), resolver: failing(servfail) },
    grade: 'F',
  },
  {
    name: 'some silent, some refuse',
    change: {
      servers: { ...every(silent), '192.0.2.1': { rcode: 'REFUSED' } },
      resolver: failing(servfail),
    },
    grade: 'F',
  },
  {
    name: 'the registrar has no glue',
    change: {
      ...insideOnly,
      parentWithout: [...insideOnly.parentWithout, 'ns1', 'ns2'],
      resolver: failing(servfail),
    },
    grade: 'F',
  },
  {
    name: 'every name of a server is gone',
    change: {
      ...delegatedTo('good.test 3600 NS a.gone.test', 'good.test 3600 NS b.gone.test'),
      resolver: failing(servfail),
    },
    grade: 'F',
  },
  {
    name: 'every server has a private address',
    change: {
      ...delegatedTo('good.test 3600 NS a.inner.test', 'a.inner.test 3600 A 10.0.0.1'),
      servers: { '10.0.0.1': { failure: { code: 'target-address-not-allowed', reason: 'it is private' } } },
      resolver: failing(servfail),
    },
    grade: 'F',
  },
  {
    name: 'the parent is silent to us, and the resolver says that it reached nobody',
    change: {
      servers: { ...every(silent), [parentServer]: silent },
      resolver: failing(withError(22), ['DS']),
    },
    grade: 'F',
  },
  {
    name: 'the resolver has only stale copies',
    change: { servers: every(silent), resolver: { instead: apex(stale), failsBelow: 'good.test' } },
    grade: 'F',
  },
  {
    name: 'the resolver has only copies, not yet stale: a random name fails',
    change: { signed: false, servers: every(silent), resolver: { failsBelow: 'good.test' } },
    grade: 'F',
  },
  {
    name: 'the resolver fails for all but DS, and the parent cannot be asked',
    change: {
      servers: { ...every(silent), [parentServer]: silent },
      resolver: failing(servfail, ['DS']),
    },
    grade: null,
  },
  {
    name: 'the resolver fails for all but DS, and nothing at all can be asked directly',
    change: {
      servers: { ...every(closed), [parentServer]: closed },
      resolver: failing(servfail, ['DS']),
    },
    grade: null,
  },
  {
    name: 'the resolver fails for all but NS, and nothing can be asked directly',
    change: {
      servers: { ...every(closed), [parentServer]: closed },
      resolver: failing(servfail, ['NS']),
    },
    grade: null,
  },
  {
    name: 'the resolver says nothing at all, the root included',
    change: {
      servers: every(silent),
      resolver: { instead: new Map([...apex(servfail), ['SOA ', servfail]]), failsBelow: 'good.test' },
    },
    grade: null,
  },
  {
    name: 'servers at IPv6 alone, silent, and only IPv4 answered us',
    change: { ...onlyIpv6, servers: every(silent), resolver: failing(servfail) },
    grade: null,
  },
  {
    name: 'the names of the servers cannot be looked up',
    change: {
      ...delegatedTo('good.test 3600 NS a.slow.test', 'good.test 3600 NS b.slow.test'),
      resolver: {
        instead: new Map([
          ...apex(servfail),
          ...['a', 'b'].flatMap((host) =>
            ['A', 'AAAA'].map((type) => [`${type} ${host}.slow.test`, servfail] as const),
          ),
        ]),
        failsBelow: 'good.test',
      },
    },
    grade: null,
  },
  {
    name: 'silent to us alone: the resolver answers for a random name',
    change: { servers: every(silent) },
    grade: 'any',
  },
  {
    name: 'one of five servers still answers',
    change: { servers: { ...every(silent), '192.0.2.1': {} } },
    grade: 'any',
  },
];

const reportOf = (outcome: Awaited<ReturnType<typeof checkIn>>) =>
  makeReport(
    {
      check: 'dns-check',
      target: { domain: 'good.test' },
      rules: dnsCheck.rules,
      rulesVersion: 1,
      reportId: 'x',
      checkedAtMs: 0,
      durationMs: 1,
      freshForS: 1,
      keepForS: 1,
    },
    outcome,
  );

describe('a zone for which nobody answers', () => {
  test.for(kinds)('$name: $grade', async ({ change, grade, name }) => {
    const report = reportOf(await checkIn(goodWorld(change)));
    console.log(`${name}: ${report.state}, ${report.score} ${report.grade}`);
    const isDead = report.findings.some(({ code }) => code === 'ns-none-answers');
    expect(isDead).toBe(grade === 'F');
    expect(report).toMatchObject(expected[grade ?? 'null']);
    // The one fault is reported once, and mail has no score beside it.
    expect(report['mailScore'] === null).toBe(grade !== 'any');
  });
});
