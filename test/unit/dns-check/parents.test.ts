import { describe, expect, test } from 'vitest';
import { codesBroken } from '#shared/model/verdict';
import { assessDnsCheck } from '../../../worker/checks/dns-check/assess.ts';
import { apexTypes } from '../../../worker/checks/dns-check/halves.ts';
import { goodWorld, keySigning } from './good-world.ts';
import { gatherIn } from './run-check.ts';
import { dsLine } from './sign-zone.ts';
import type { ServerManner, World } from './world.ts';
import { readZone } from './zone-file.ts';

const soa = '@ 3600 SOA ns.test hostmaster.ns.test 1 14400 3600 1209600 3600';
const ns = ['ns1.good.test', 'ns2.good.test', 'ns.other.test'].map((name) => `good.test 3600 NS ${name}`);
const glue = [
  'ns1.good.test 3600 A 192.0.2.1',
  'ns1.good.test 3600 AAAA 2001:db8:1::1',
  'ns2.good.test 3600 A 198.51.100.1',
  'ns2.good.test 3600 AAAA 2001:db8:2::1',
];

// What one of the parent's servers has otherwise: each a kind of parent that disagrees with itself.
const kinds: readonly { name: string; lines: readonly string[] }[] = [
  { name: 'one more name server', lines: [...ns, 'good.test 3600 NS ns.old.test', ...glue] },
  { name: 'one less', lines: [...ns.slice(0, 2), ...glue] },
  { name: 'other name servers', lines: ['good.test 3600 NS a.old.test', 'good.test 3600 NS b.old.test'] },
  { name: 'another address of one', lines: [...ns, 'ns1.good.test 3600 A 192.0.2.99', ...glue.slice(1)] },
  { name: 'an address less', lines: [...ns, ...glue.slice(1)] },
];

/** A parent with so many servers, of which the last has lines of its own. */
function worldOf(count: number, lines: readonly string[] | null): World {
  const names = Array.from({ length: count }, (_, at) => `p${at}.test`);
  const world = goodWorld({
    signed: false,
    parentWithout: ['@ 3600 NS'],
    parentAdd: names.flatMap((name, at) => [`@ 3600 NS ${name}`, `${name} 3600 A 203.0.113.${100 + at}`]),
  });
  const own = lines === null ? {} : { own: readZone('test', [soa, ...lines].join('\n')) };
  const servers = names.map((_, at): readonly [string, ServerManner] => {
    const manner = { zones: ['test'], ...(at === count - 1 ? own : {}) };
    return [`203.0.113.${100 + at}`, manner];
  });
  return { ...world, servers: new Map([...world.servers, ...servers]) };
}

const denials: readonly { name: string; lines: readonly string[] }[] = [
  { name: 'NXDOMAIN', lines: [] },
  { name: 'NODATA', lines: ['good.test 3600 A 192.0.2.80'] },
  { name: 'an alias', lines: ['good.test 3600 CNAME elsewhere.test'] },
];

describe('a parent of which some servers deny the delegation', () => {
  test.for(denials)('$name of one of three is told, by whichever the resolver was led', async ({ lines }) => {
    const world = worldOf(3, lines);
    const denied = readZone('test', [soa, ...lines].join('\n'));
    const unaware = (type: string) => {
      const isDenied = lines.length === 0;
      return [
        `${type} good.test`,
        {
          rcode: isDenied ? 'NXDOMAIN' : 'NOERROR',
          answers: denied.filter((record) => record.name === 'good.test' && record.type === type),
          authority: denied.filter((record) => record.type === 'SOA'),
        },
      ] as const;
    };
    const led = new Map(apexTypes.map(unaware));
    for (const resolver of [world.resolver, { ...world.resolver, instead: led }]) {
      const { verdicts, fields } = assessDnsCheck(await gatherIn({ ...world, resolver }));
      expect(codesBroken(verdicts)).toContain('ns-parent-denies');
      expect(codesBroken(verdicts)).not.toContain('domain-not-found');
      expect(fields['exists']).toBe(true);
    }
  });

  test('one that serves the domain itself is a server that knows it', async () => {
    const world = worldOf(2, []);
    const both: ServerManner = { zones: ['test', 'good.test'] };
    const servers = new Map([...world.servers, ['203.0.113.1', both], ['203.0.113.100', both]] as const);
    const { verdicts } = assessDnsCheck(await gatherIn({ ...world, servers }));
    expect(codesBroken(verdicts)).toContain('ns-parent-denies');
  });

  test('where all deny it, it is not there', async () => {
    const { verdicts } = assessDnsCheck(await gatherIn(worldOf(3, null), 'nothing.test'));
    expect(codesBroken(verdicts)).toEqual(['domain-not-found']);
  });

  test('a DS that only one of them has is found, also where the resolver asked another', async () => {
    const ds = dsLine('good.test', keySigning);
    const world = worldOf(3, [...ns, ...glue, ds]);
    const { verdicts } = assessDnsCheck(await gatherIn(world));
    expect(codesBroken(verdicts)).toEqual(
      expect.arrayContaining(['dnssec-ds-inconsistent', 'dnssec-ds-without-key']),
    );
  });
});

describe('a parent whose servers disagree', () => {
  test.for(kinds)('with three servers, $name is told in every run', async ({ lines }) => {
    const outcome = assessDnsCheck(await gatherIn(worldOf(3, lines)));
    expect(codesBroken(outcome.verdicts)).toContain('ns-parent-inconsistent');
    expect(outcome.fields['ns']).toMatchObject({ parentServers: { known: 3, asked: 3 } });
  });

  test('with thirteen, three are chosen anew in each run, and all are asked where one differs', async () => {
    const [kind] = kinds;
    const world = worldOf(13, kind?.lines ?? []);
    const seen = new Set<string>();
    const told: number[] = [];
    for (let run = 0; run < 60; run += 1) {
      const evidence = await gatherIn(world);
      const { referrals } = evidence.dns;
      for (const answer of referrals) seen.add(answer.server);
      const isTold = codesBroken(assessDnsCheck(evidence).verdicts).includes('ns-parent-inconsistent');
      expect(referrals).toHaveLength(isTold ? 13 : 3);
      if (isTold) told.push(run);
    }
    expect(seen.size).toBe(13);
    // One of 13 is among three in 23 % of the runs.
    expect(told.length).toBeGreaterThan(2);
  });

  test('one that agrees is asked three times, and nothing is said', async () => {
    const evidence = await gatherIn(worldOf(13, null));
    expect(evidence.dns.referrals).toHaveLength(3);
    expect(codesBroken(assessDnsCheck(evidence).verdicts)).not.toContain('ns-parent-inconsistent');
  });

  test('the same evidence gives the same report, whichever servers were chosen', async () => {
    const evidence = await gatherIn(worldOf(13, kinds[0]?.lines ?? []));
    expect(JSON.stringify(assessDnsCheck(evidence))).toBe(JSON.stringify(assessDnsCheck(evidence)));
  });
});
