import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isDmarc,
  parseDmarc,
  policiesOf,
} from '../../../../worker/checks/dns-check/mail/dmarc/parse-dmarc.ts';
import {
  discoverPolicy,
  orgDomainOf,
  walkTree,
} from '../../../../worker/checks/dns-check/mail/dmarc/walk-tree.ts';
import { evaluateSpf } from '../../../../worker/checks/dns-check/mail/spf/evaluate-spf.ts';
import {
  branchesOf,
  growSpfTree,
  type SpfBranch,
} from '../../../../worker/checks/dns-check/mail/spf/grow-tree.ts';
import { isSpf, parseSpf } from '../../../../worker/checks/dns-check/mail/spf/parse-spf.ts';
import { openAsker } from '../../../../worker/dns/asker.ts';
import { openZone, type Zone } from '../../../../worker/dns/zone.ts';
import { runsOf } from '../../../kit/property-runs.ts';
import { dmarcRecord, spfRecord } from './arbitrary.ts';
import { stubDns, type ZoneLiteral } from './zone-literal.ts';

// The evaluator that passes the public suite of RFC 7208 whole; its inner parts are the oracle of ours.
const require = createRequire(import.meta.url);
const { validateTerms } = require('mailauth/lib/spf/syntax.js') as {
  validateTerms: (terms: string[]) => string | false;
};
const dmarcOracle = require('mailauth/lib/dmarc/get-dmarc-record.js') as {
  parseDmarcRecord: (text: string, options: { strict: boolean }) => Record<string, unknown> | null;
  getPolicyTags: (record: Record<string, unknown>) => Record<string, string> | null;
  createRecordLookup: (resolver: unknown, options: { strict: boolean }) => unknown;
  discoverPolicy: (
    domain: string,
    lookup: unknown,
  ) => Promise<{ recordDomain: string | null; orgDomain: string }>;
};

const seed = 20_261_121;
const recordRuns = runsOf(5000);
const treeRuns = runsOf(2000);

describe('SPF', () => {
  test('records are good or not as the oracle says', () => {
    let compared = 0;
    fc.assert(
      fc.property(spfRecord.filter(isSpf), (text) => {
        compared += 1;
        const isOurs = parseSpf(text).faults.length === 0;
        const isTheirs =
          !/[^\u0020-\u007e]/.test(text) && validateTerms(text.split(' ').slice(1).filter(Boolean)) === false;
        expect(isOurs).toBe(isTheirs);
      }),
      { numRuns: recordRuns, seed },
    );
    expect(compared).toBe(recordRuns);
  });

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
      openZone(asker.sights, (question) => missing.push(asker.ask(question))),
      domain,
    );
    if (missing.length === 0) return { tree, asker };
    await Promise.all(missing);
  }
}

describe('DMARC', () => {
  test('records mean what the oracle says, but for words that are no tags', () => {
    const differing: string[] = [];
    const texts = fc.sample(dmarcRecord, { numRuns: recordRuns, seed });
    for (const text of texts)
      if (JSON.stringify(ourPolicies(text)) !== JSON.stringify(theirPolicies(text))) differing.push(text);
    expect(differing.filter((text) => !hasWordsThatAreNoTags(text))).toEqual([]);
    expect(differing.length).toBeLessThan(recordRuns / 20);
    console.log(`${texts.length} DMARC records, ${differing.length} differ, all explained`);
  });

  const value = fc.constantFrom(
    'v=DMARC1; p=none',
    'v=DMARC1; p=reject; psd=n',
    'v=DMARC1; p=reject; psd=y',
    'v=DMARC1; p=reject; p=none',
    'other',
    null,
  );
  const values = fc.array(
    fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 4, arbitrary: value }),
    { minLength: 8, maxLength: 8 },
  );

  test('trees have the organizational domain and the record that the oracle finds', async () => {
    const domains = ['example', 'b.example', 'a.b.example', 'w.a.b.example', '1.2.3.4.5.w.a.b.example'];
    await fc.assert(
      fc.asyncProperty(values, fc.constantFrom(...domains), fc.boolean(), async (texts, domain, isDouble) => {
        const labels = domain.split('.');
        const literal = Object.fromEntries(
          labels.map((_, index) => [
            `_dmarc.${labels.slice(index).join('.')} TXT`,
            texts[index] === null || texts[index] === undefined
              ? null
              : isDouble && index === 1
                ? [texts[index], 'v=DMARC1; p=none']
                : [texts[index]],
          ]),
        ) as ZoneLiteral;
        const asker = openAsker(stubDns(literal));
        const seen = await askWalk(asker, domain);
        const walk = walkTree(seen, domain);
        const applied = discoverPolicy(domain, walk);
        const lookup = dmarcOracle.createRecordLookup(oracleResolver(asker), { strict: true });
        const theirs = await dmarcOracle.discoverPolicy(domain, lookup);
        expect([typeof applied === 'string' ? null : applied.domain, orgDomainOf(domain, walk)]).toEqual([
          theirs.recordDomain,
          theirs.orgDomain,
        ]);
      }),
      { numRuns: treeRuns, seed },
    );
  });
});

async function askWalk(asker: ReturnType<typeof openAsker>, domain: string): Promise<Zone> {
  const missing: Promise<unknown>[] = [];
  walkTree(
    openZone(asker.sights, (question) => missing.push(asker.ask(question))),
    domain,
  );
  await Promise.all(missing);
  return openZone(asker.sights);
}

function oracleResolver(asker: ReturnType<typeof openAsker>) {
  return async (name: string, type: string) => {
    const { outcome, records } = await asker.ask({ name, type });
    if (outcome !== 'found')
      throw Object.assign(new Error(name), { code: outcome === 'nodata' ? 'ENODATA' : 'ENOTFOUND' });
    return records.map(({ data }) => (data as { strings: string[] }).strings);
  };
}

function ourPolicies(text: string): unknown {
  if (!isDmarc(text)) return 'not DMARC';
  const dmarc = parseDmarc(text);
  if (!('tags' in dmarc) || dmarc.repeated.length > 0) return 'void';
  return policiesOf(dmarc);
}

function theirPolicies(text: string): unknown {
  if (!/^[vV][ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/.test(text.trim())) return 'not DMARC';
  const record = dmarcOracle.parseDmarcRecord(text.trim(), { strict: true });
  if (record === null) return 'void';
  const tags = dmarcOracle.getPolicyTags(record);
  return tags && Object.fromEntries(Object.entries(tags).filter(([, tag]) => tag !== undefined));
}

// RFC 9989 §4.8 has faulty words discarded. The oracle keeps two kinds: a lone "sp" or "np" without a sign, which it takes for an invalid
// policy, and names that are none (a space inside, no letter first), which it counts as repeated.
function hasWordsThatAreNoTags(text: string): boolean {
  const pieces = text.split(';').map((piece) => piece.trim());
  const names = pieces
    .filter((piece) => piece.includes('='))
    .map((piece) => (piece.split('=')[0] ?? '').trim());
  const odd = names.filter((name) => name !== '' && !/^[A-Za-z][A-Za-z0-9_]*$/.test(name));
  return pieces.some((piece) => piece === 'sp' || piece === 'np') || new Set(odd).size < odd.length;
}
