import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rules } from '#shared/catalogue/dns-check/rules';
import type { Json } from '#shared/model/verdict';
import { assessDnsCheck } from '../../../worker/checks/dns-check/assess.ts';
import type { DnsCheckEvidence } from '../../../worker/checks/dns-check/gather.ts';
import { isObject } from '../../../worker/dns/record-values.ts';
import { countCpu } from '../../kit/cpu-time.ts';
import { isSoak, runsOf } from '../../kit/property-runs.ts';
import { cases } from './cases.ts';
import { goodWorld } from './good-world.ts';
import { gatherIn } from './run-check.ts';

type Path = readonly (string | number)[];

/** Where records have their data: what a target chooses. Envelopes are the probe's own and keep their shape. */
function dataPaths(value: Json, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, at) => dataPaths(item as Json, [...path, at]));
  return Object.entries(value as Record<string, Json>).flatMap(([key, item]) =>
    key === 'data' || key === 'rdata' || key === 'name' ? [[...path, key]] : dataPaths(item, [...path, key]),
  );
}

function put(value: Json, [key, ...rest]: Path, change: (old: Json) => Json): Json {
  if (key === undefined) return change(value);
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<
    string | number,
    Json
  >;
  copy[key] = put(copy[key] ?? null, rest, change);
  return copy as Json;
}

const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom(
    '__proto__',
    'constructor',
    '\\',
    '..',
    '.',
    '',
    '*.good.test',
    'good.test',
    '-1',
    '999.1.1.1',
    '::1%lo',
  ),
);
const hostile = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  hostileText,
  fc.constant({ malformed: 'x', rdata: '' }),
  fc.integer(),
  fc.double(),
);
// One field of an object changed goes deeper than a whole value of another kind. Names and rdata are always text.
const change = fc.tuple(fc.nat(7), hostile, hostileText).map(([field, value, text]) => (old: Json): Json => {
  if (typeof old === 'string') return text;
  if (!isObject(old)) return value as Json;
  const key = Object.keys(old)[field];
  return key === undefined ? (value as Json) : { ...old, [key]: value as Json };
});

test(
  'no record makes judging throw, and every rule still has its verdict',
  async () => {
    const names = [
      'a domain in which everything is well breaks nothing',
      'NSEC3 with ten iterations',
      'CDS and CDNSKEY of the key that the parent has are in step',
    ];
    const chosen = cases.filter(({ name }) => names.includes(name));
    expect(chosen).toHaveLength(names.length);
    const evidences = await Promise.all(chosen.map(async (one) => gatherIn(goodWorld(one.change))));
    const seeds = evidences.map((evidence) => ({ evidence, paths: dataPaths(evidence as unknown as Json) }));
    fc.assert(
      fc.property(
        fc.nat(seeds.length - 1),
        fc.array(fc.tuple(fc.nat(), change), { minLength: 1, maxLength: 8 }),
        (which, changes) => {
          const seed = seeds[which] ?? seeds[0];
          const broken = changes.reduce<Json>(
            (value, [at, alter]) => put(value, seed?.paths[at % seed.paths.length] ?? [], alter),
            seed?.evidence as unknown as Json,
          );
          const { verdicts, fields } = assessDnsCheck(broken as unknown as DnsCheckEvidence);
          expect(Object.keys(verdicts).length).toBe(Object.keys(rules).length);
          JSON.stringify(fields);
        },
      ),
      { numRuns: runsOf(1500) },
    );
  },
  isSoak ? 600_000 : 120_000,
);

test('a record called __proto__ changes nothing but itself', async () => {
  const evidence = await gatherIn(goodWorld({ add: ['@ 3600 TXT __proto__', '@ 3600 CAA 0 __proto__ x'] }));
  const { verdicts } = assessDnsCheck(evidence);
  expect(verdicts['caa-tag-unknown']).toMatchObject({ broken: [{ tag: '__proto__' }] });
  expect(Object.getPrototypeOf(verdicts)).toBe(Object.prototype);
});

test('a thousand name servers are cut to 13 names and 16 addresses', async () => {
  const names = Array.from({ length: 1000 }, (_, at) => `@ 3600 NS n${at}.good.test`);
  const addresses = Array.from({ length: 1000 }, (_, at) => [
    `n${at}.good.test 3600 A 192.0.2.${at % 250}`,
    `n${at}.good.test 3600 A 198.51.100.${at % 250}`,
    `n${at}.good.test 3600 AAAA 2001:db8::${at.toString(16)}`,
  ]);
  const evidence = await gatherIn(
    goodWorld({ signed: false, without: ['@ 3600 NS'], add: [...names, ...addresses.flat()] }),
  );
  expect(evidence.dns.hosts).toHaveLength(13);
  expect(evidence.dns.servers).toHaveLength(16);
  expect(evidence.dns.notAsked).toBe(23);
  assessDnsCheck(evidence);
});

test('judging a domain with hundreds of keys and signatures comes to an end', async () => {
  const evidence = await gatherIn(goodWorld());
  const answer = evidence.dns.apex.DNSKEY;
  const many = (records: readonly Json[]): Json[] =>
    Array.from({ length: 400 }, () => records).flat() as Json[];
  const flooded = put(evidence as unknown as Json, ['dns', 'apex', 'DNSKEY', 'answers'], (old) =>
    many(old as Json[]),
  );
  expect(answer.kind).toBe('answer');
  const spentMs = countCpu();
  assessDnsCheck(flooded as unknown as DnsCheckEvidence);
  expect(spentMs()).toBeLessThan(8000);
});

test('sixteen thousand hints beside four thousand addresses are judged at once, and a few are shown', async () => {
  const hinted = goodWorld({
    without: ['@ 3600 HTTPS'],
    add: ['@ 3600 HTTPS {"priority": 1, "target": "", "params": {"ipv4hint": ["192.0.2.79"]}}'],
  });
  const evidence = (await gatherIn(hinted)) as unknown as Json;
  const addressOf = (at: number, net: number) => `${net}.${at >> 16}.${(at >> 8) & 255}.${at & 255}`;
  const flooded = [
    ['A', (record: Json, at: number) => put(record, ['data'], () => addressOf(at, 198))] as const,
    [
      'HTTPS',
      (record: Json, at: number) =>
        put(record, ['data', 'params', 'ipv4hint'], () =>
          Array.from({ length: 2000 }, (_, hint) => addressOf(at * 2000 + hint, 203)),
        ),
    ] as const,
  ].reduce<Json>(
    (value, [type, change]) =>
      put(value, ['dns', 'apex', type, 'answers'], (old) => {
        const records = (old as readonly Json[]).filter(
          (record) => isObject(record) && record['type'] === type,
        );
        return Array.from({ length: type === 'A' ? 4000 : 8 }, (_, at) => change(records[0] ?? null, at));
      }),
    evidence,
  );
  const spentMs = countCpu();
  const verdict = assessDnsCheck(flooded as unknown as DnsCheckEvidence).verdicts[
    'https-record-hint-differs'
  ];
  expect(spentMs()).toBeLessThan(5000);
  if (typeof verdict !== 'object' || !('broken' in verdict)) throw new Error('the hints differ');
  expect(verdict.broken).toHaveLength(50);
  expect(verdict.broken[0]?.['addresses']).toMatch(/^(198\.0\.0\.\d, ){9}198\.0\.0\.9 and 3990 more$/);
});
