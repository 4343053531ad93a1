import { describe, expect, test } from 'vitest';
import type { DnsRecord } from '../../../worker/probes/dns/port.ts';
import { withNsec } from './deny.ts';
import { goodWorld } from './good-world.ts';
import { checkIn, dnsCodesBroken } from './run-check.ts';
import { dsLine, keyLine, makeKey, type SigningKey, signZone } from './sign-zone.ts';
import type { World } from './world.ts';
import { readZone } from './zone-file.ts';

// Two providers that each sign with keys of their own, as RFC 8901 §2.1.2 has it, and what goes wrong with it. Keys of one are never held
// against the signatures of the other alone, and what is said does not hang on which of them the resolver has asked.
const a = { entry: makeKey(257), zone: makeKey(256) };
const b = { entry: makeKey(257), zone: makeKey(256) };
type Provider = typeof a;

const plain = goodWorld({ signed: false }).zones.get('good.test') ?? [];

/** The zone as one provider serves it: `published` beside its own keys. */
function copyOf({ entry, zone }: Provider, published: readonly SigningKey[]): readonly DnsRecord[] {
  const keys = [entry, zone, ...published].map((key) => keyLine(key)).join('\n');
  const nowS = Math.floor(Date.now() / 1000);
  const records = withNsec([...plain, ...readZone('good.test', keys)]);
  return signZone('good.test', records, [entry, zone], {
    keySigned: ['DNSKEY', 'CDS', 'CDNSKEY'],
    fromS: nowS - 86_400,
    untilS: nowS + 14 * 86_400,
  });
}

type Copies = { readonly first: readonly DnsRecord[]; readonly second: readonly DnsRecord[] };

function worldOf({ first, second }: Copies, ds: readonly string[], resolved: 'first' | 'second'): World {
  const zone = { first, second };
  const world = goodWorld({
    ds,
    servers: Object.fromEntries(
      ['192.0.2.1', '2001:db8:1::1', '198.51.100.1', '2001:db8:2::1', '203.0.113.53'].map((address, at) => [
        address,
        { own: at < 2 ? first : second },
      ]),
    ),
    resolver: { validates: false },
  });
  return { ...world, zones: new Map([...world.zones, ['good.test', zone[resolved]]]) };
}

const [dsA, dsB] = [a, b].map(({ entry }) => dsLine('good.test', entry)) as [string, string];

const cases: readonly { name: string; copies: Copies; ds: readonly string[]; broken: readonly string[] }[] = [
  {
    name: 'both providers have the keys that sign at the other: healthy',
    copies: { first: copyOf(a, [b.zone]), second: copyOf(b, [a.zone]) },
    ds: [dsA, dsB],
    broken: [],
  },
  {
    name: 'each provider has only keys of its own: a resolver may not go from one to the other',
    copies: { first: copyOf(a, []), second: copyOf(b, []) },
    ds: [dsA, dsB],
    broken: ['dnssec-keys-inconsistent'],
  },
  {
    name: 'one provider has the keys of the other, which has not: half of the way',
    copies: { first: copyOf(a, [b.zone]), second: copyOf(b, []) },
    ds: [dsA, dsB],
    broken: ['dnssec-keys-inconsistent'],
  },
  {
    name: 'the parent has the DS of one provider: the other cannot be validated',
    copies: { first: copyOf(a, [b.zone]), second: copyOf(b, [a.zone]) },
    ds: [dsA],
    broken: ['dnssec-server-signature-invalid', 'dnssec-keys-inconsistent'],
  },
  {
    name: 'a DS of a key that neither has any more is stale',
    copies: { first: copyOf(a, [b.zone]), second: copyOf(b, [a.zone]) },
    ds: [dsA, dsB, dsLine('good.test', makeKey(257))],
    broken: ['dnssec-ds-stale'],
  },
  {
    name: 'one key for both, and both have it: as one provider',
    copies: { first: copyOf(a, []), second: copyOf(a, []) },
    ds: [dsA],
    broken: [],
  },
  {
    name: 'the keys are missing at one provider',
    copies: { first: copyOf(a, []), second: plain },
    ds: [],
    broken: ['dnssec-ds-missing', 'dnssec-keys-inconsistent'],
  },
];

describe('a zone with several signers', () => {
  test.for(cases)('$name', async ({ copies, ds, broken }) => {
    const [one, other] = await Promise.all(
      (['first', 'second'] as const).map((resolved) => checkIn(worldOf(copies, ds, resolved))),
    );
    expect(dnsCodesBroken(one ?? { verdicts: {} })).toEqual(broken);
    expect(dnsCodesBroken(other ?? { verdicts: {} })).toEqual(broken);
    expect(one?.score).toBe(other?.score);
  });
});
