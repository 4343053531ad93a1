import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluateSpf } from '../../../../worker/checks/dns-check/mail/spf/evaluate-spf.ts';
import {
  branchesOf,
  growSpfTree,
  type SpfBranch,
} from '../../../../worker/checks/dns-check/mail/spf/grow-tree.ts';
import { openAsker } from '../../../../worker/dns/asker.ts';
import { openZone } from '../../../../worker/dns/zone.ts';
import { runsOf } from '../../../kit/property-runs.ts';
import { stubDns, type ZoneLiteral } from './zone-literal.ts';

// The tree of includes and the evaluation of one message count by ways of their own: each is the oracle of the other.
const seed = 20_261_121;
const treeRuns = runsOf(2000);

describe('SPF', () => {
  const names = ['a.test', 'b.test', 'c.test', 'd.test', 'void.test', 'host.test'];
  const included = fc.constantFrom(...names.slice(0, 5));
  const term = fc.oneof(
    { weight: 4, arbitrary: included.map((name) => `include:${name}`) },
    {
      weight: 3,
      arbitrary: fc.constantFrom('a:host.test', 'a:void.test', 'mx:host.test', 'mx:void.test', 'a:six.test'),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom('exists:void.test', 'ip4:192.0.2.0/24', 'ip6:2001:db8::/32'),
    },
    { weight: 1, arbitrary: fc.constantFrom('~include:b.test', 'a', 'mx', 'x=y', 'mx:many.test', 'ip4:bad') },
  );
  const end = fc.constantFrom(
    '-all',
    '~all',
    '',
    '?all mx',
    'redirect=d.test',
    'redirect=void.test',
    '-all redirect=a.test',
  );
  const record = fc
    .tuple(fc.array(term, { maxLength: 4 }), end)
    .map(([terms, last]) => ['v=spf1', ...terms, last].join(' '));
  const zones = fc.tuple(record, record, record, record).map(([a, b, c, d]): ZoneLiteral => ({
    'a.test TXT': a,
    'b.test TXT': b,
    'c.test TXT': c,
    'd.test TXT': d.includes('redirect') ? 'v=spf1 -all' : d,
    'host.test A': '198.51.100.1',
    'host.test AAAA': '2001:db8:1::1',
    'host.test MX': '10 host.test',
    'six.test AAAA': '2001:db8:1::6',
    'many.test MX': Array.from({ length: 11 }, (_, index) => `${index} m${index}.test`),
    ...Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`m${index}.test A`, '198.51.100.2'])),
    'void.test CAA': 'x',
  }));

  test('include trees have the lookups, voids and errors that an evaluation has', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(zones, async (literal) => {
        const { tree, asker } = await growWhole(literal, 'a.test');
        const verdict = await evaluateSpf(
          asker,
          { ip: '203.0.113.99', sender: 'x@a.test', helo: 'a.test' },
          5000,
        );
        compared += 1;
        expect(verdict.result === 'permerror').toBe(isFatal(tree));
        // An evaluation that ends in an error stops counting there.
        expect(isFatal(tree) ? verdict.lookups : tree.counts.lookups).toBe(verdict.lookups);
      }),
      { numRuns: treeRuns, seed },
    );
    expect(compared).toBe(treeRuns);
  });
});

// Whether a message from an IPv4 address that no term matches meets an error.
function isFatal(tree: SpfBranch): boolean {
  const branches = branchesOf(tree);
  const { lookups, voids4 } = tree.counts;
  return (
    lookups > 10 ||
    voids4 > 2 ||
    branches.some(({ end, spf }) => end !== 'record' || (spf?.faults.length ?? 0) > 0) ||
    branches.some(({ reached }) => reached.some(({ mxHosts }) => mxHosts > 10))
  );
}

async function growWhole(literal: ZoneLiteral, domain: string) {
  const asker = openAsker(stubDns(literal));
  for (;;) {
    const missing: Promise<unknown>[] = [];
    const tree = growSpfTree(
      openZone(asker.observations, (question) => missing.push(asker.ask(question))),
      domain,
    );
    if (missing.length === 0) return { tree, asker };
    await Promise.all(missing);
  }
}
