import { Resolver } from 'node:dns/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { rules, type DnsCheckCode } from '#shared/catalogue/dns-check/rules';
import { codesBroken, codesOf, isBroken, severities, type Verdicts } from '#shared/model/verdict';
import { checkDomain } from './check-domain.ts';
import { skipReason } from './debian-tools.ts';
import { openSignedLab, type SignedLab } from './signed-lab.ts';
import type { LabZone } from './zones.ts';

// A fix never makes anything worse: each record that a finding of a signed zone offers is entered, and the zone is judged again, and asked for
// through a resolver that validates.
const reason = skipReason('the fixes of signed zones', ['unbound', 'nsd', 'ldns-signzone', 'ldns-keygen']);

const p256 = { algorithm: 'ECDSAP256SHA256' } as const;
const head = '$TTL 3600\n@ SOA ns1 hostmaster 1 14400 3600 1209600 3600\n';
const servers = (block: number) => `@ NS ns1\n@ NS ns2\nns1 A 127.${block}.1.1\nns2 A 127.${block}.2.1\n`;
const mail = '@ A 192.0.2.80\n@ MX 10 mail\nmail A 192.0.2.25\n';
const spf = '@ TXT "v=spf1 mx -all"\n';

/** What is wrong with each zone; the lines are those of the zone but for SOA and NS. */
const faults: { readonly [name: string]: Omit<LabZone, 'text'> & { readonly lines: string } } = {
  'island.test': { lines: `${mail}${spf}`, signing: p256, ds: 'none' },
  'wrong.test': { lines: `${mail}${spf}`, signing: p256, ds: 'wrong' },
  'nsec3.test': { lines: `${mail}${spf}`, signing: { ...p256, nsec3Iterations: 10 }, ds: 'none' },
  'sha1.test': { lines: `${mail}${spf}`, signing: { algorithm: 'RSASHA1', bits: 2048 }, ds: 'none' },
  'expired.test': { lines: `${mail}${spf}`, signing: { ...p256, fromDay: -9, untilDay: -2 }, ds: 'none' },
  'noproof.test': { lines: `${mail}${spf}`, signing: p256, ds: 'none', damage: { of: 'proofs' } },
  'half.test': {
    lines: `${mail}${spf}`,
    signing: p256,
    ds: 'none',
    damage: { of: 'proofs', servers: ['ns2'] },
  },
  'onesigned.test': { lines: `${mail}${spf}`, signing: p256, ds: 'none', second: 'plain' },
  'nospf.test': { lines: mail, signing: p256 },
  'open.test': { lines: `${mail}@ TXT "v=spf1 mx +all"\n`, signing: p256 },
  'two.test': { lines: `${mail}${spf}@ TXT "v=spf1 a ~all"\n`, signing: p256 },
  'equals.test': { lines: `${mail}@ TXT "v=spf1 mx ip4=192.0.2.30 -all"\n`, signing: p256 },
  'parked.test': { lines: '@ TXT "v=spf1 -all"\n', signing: p256 },
  'policy.test': { lines: `${mail}${spf}_dmarc TXT "v=DMARC1; p=reject; sp=none; np=none"\n`, signing: p256 },
  'subdomain.test': {
    lines: `${mail}${spf}_dmarc TXT "v=DMARC1; p=rejct"\n`,
    signing: { ...p256, nsec3Iterations: 0 },
  },
};

type FixRecord = { readonly name: string; readonly type: string; readonly value: string };
type Offered = { readonly code: DnsCheckCode; readonly record: FixRecord };

function zoneOf(name: string, block: number, more: Partial<LabZone> = {}, lines?: string): LabZone {
  const { lines: usual = '', second, ...zone } = faults[name] ?? {};
  const text = `${head}${servers(block)}${lines ?? usual}`;
  return { ...zone, text, ...(second === undefined ? {} : { second: text }), ...more };
}

/** The lines after their owner has pasted a record: it takes the place of those of its kind. */
function paste(lines: string, zone: string, { name, type, value }: FixRecord): string {
  const owner = name === zone ? '@' : name.slice(0, -zone.length - 1);
  const kind = /^v=\w+/.exec(value)?.[0] ?? '';
  const isOld = (line: string) =>
    line.startsWith(`${owner} ${type} `) && (type !== 'TXT' || line.includes(`"${kind}`));
  const kept = lines.split('\n').filter((line) => line !== '' && !isOld(line));
  return [...kept, `${owner} ${type} ${type === 'TXT' ? `"${value}"` : value}`, ''].join('\n');
}

async function look(zone: string, lab: SignedLab) {
  const resolver = new Resolver({ timeout: 3000, tries: 2 });
  resolver.setServers([lab.addresses.resolver]);
  const ask = async (name: string, type: 'SOA' | 'MX' | 'TXT') => {
    try {
      await resolver.resolve(name, type);
      return 'works';
    } catch (error) {
      const { code } = error as { code?: string };
      return code === 'ENODATA' || code === 'ENOTFOUND' ? 'works' : String(code);
    }
  };
  const works = await Promise.all([
    ask(zone, 'SOA'),
    ask(zone, 'MX'),
    ask(zone, 'TXT'),
    ask(`nothing.${zone}`, 'TXT'),
  ]);
  return { ...(await checkDomain(zone, lab.settings)), works };
}

type Look = Awaited<ReturnType<typeof look>>;
const codes = codesOf(rules);

function offersOf({ verdicts }: Look): readonly Offered[] {
  return codes.flatMap((code) => {
    const verdict = (verdicts as Partial<Verdicts<DnsCheckCode>>)[code];
    // A record that a file goes with is tried with the file, where mail is.
    return verdict && isBroken(verdict) && verdict.fix?.record && !verdict.fix.snippets
      ? [{ code, record: verdict.fix.record }]
      : [];
  });
}

const rankOf = (code: DnsCheckCode) => severities.indexOf(rules[code].severity);

/** What the fix made worse; undefined where nothing. */
function harmOf(code: DnsCheckCode, before: Look, after: Look): object | undefined {
  const isIn = ({ verdicts }: Look, one: DnsCheckCode) => codesBroken(verdicts).includes(one);
  const fresh = codes.filter((one) => isIn(after, one) && !isIn(before, one) && rankOf(one) <= rankOf(code));
  const stopped = before.works.filter((state, at) => state === 'works' && after.works[at] !== 'works');
  const isLower = (after.score ?? -1) < (before.score ?? -1);
  return fresh.length + stopped.length > 0 || isLower
    ? { code, fresh, stopped, score: [before.score, after.score] }
    : undefined;
}

describe.skipIf(reason !== undefined)('fixes of signed zones', () => {
  const labs: SignedLab[] = [];
  const open = async (zones: (block: number) => { [name: string]: LabZone }) => {
    const block = 140 + labs.length;
    const lab = await openSignedLab(block, zones(block));
    labs.push(lab);
    return lab;
  };
  afterAll(async () => {
    await Promise.all(labs.map(async (lab) => lab.close()));
  });

  test('each record that is offered, entered alone, makes nothing worse', async () => {
    const names = Object.keys(faults);
    const first = await open((block) => Object.fromEntries(names.map((name) => [name, zoneOf(name, block)])));
    const before = new Map<string, Look>();
    for (const name of names) before.set(name, await look(name, first));
    const offers = new Map([...before].map(([name, seen]) => [name, offersOf(seen)] as const));
    const rounds = Math.max(...[...offers.values()].map(({ length }) => length));
    const harms: object[] = [];
    const tried = new Map<string, number>();
    // Zones do not know of each other: one fix of each at once.
    for (let round = 0; round < rounds; round += 1) {
      const chosen = [...offers].flatMap(([name, all]) =>
        all.slice(round, round + 1).map((one) => [name, one] as const),
      );
      const lab = await open((block) =>
        Object.fromEntries(
          chosen.map(([name, { record }]) => {
            const { signing, lines = '' } = faults[name] ?? {};
            const keys = first.keysOf(name);
            const same = { signing: { ...p256, ...signing, ...(keys ? { keys } : {}) } };
            return record.type === 'DS'
              ? [name, zoneOf(name, block, { ...same, ds: { line: `${record.name}. DS ${record.value}` } })]
              : [name, zoneOf(name, block, same, paste(lines, name, record))];
          }),
        ),
      );
      for (const [name, { code }] of chosen) {
        const seen = before.get(name);
        const harm = seen && harmOf(code, seen, await look(name, lab));
        if (harm) harms.push({ name, ...harm });
        tried.set(code, (tried.get(code) ?? 0) + 1);
      }
    }
    console.log([...tried].map(([code, count]) => `${code} ${count}`).join(', '));
    expect(harms).toEqual([]);
    expect(tried.get('dnssec-ds-missing')).toBe(2);
    expect(tried.get('dnssec-ds-without-key')).toBe(1);
    expect([...tried.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(40);
  }, 240_000);
});
