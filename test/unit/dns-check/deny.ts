import { createHash } from 'node:crypto';
import type { DnsRecord } from '../../../worker/probes/dns/port.ts';
import { encode, wireName } from './zone-file.ts';

/** How a zone hashes its names. */
export type Hashing = {
  readonly algorithm?: number;
  readonly flags?: number;
  readonly iterations?: number;
  /** Hex. */
  readonly salt?: string;
};

const ttl = 3600;

const reversed = (name: string): string => name.split('.').toReversed().join('\u0000');
const byCanonicalOrder = (a: string, b: string): number => (reversed(a) < reversed(b) ? -1 : 1);

function typesByName(records: readonly DnsRecord[]): ReadonlyMap<string, readonly string[]> {
  const types = new Map<string, string[]>();
  for (const { name, type } of records) types.set(name, [...(types.get(name) ?? []), type]);
  return types;
}

/** The zone with an NSEC for each of its names. */
export function withNsec(records: readonly DnsRecord[]): readonly DnsRecord[] {
  const types = typesByName(records);
  const names = [...types.keys()].toSorted(byCanonicalOrder);
  const chain = names.map((name, at) => {
    const nextName = names[(at + 1) % names.length] ?? name;
    return withRdata(name, 'NSEC', { nextName, types: [...(types.get(name) ?? []), 'RRSIG', 'NSEC'] });
  });
  return [...records, ...chain];
}

/** The zone with an NSEC3 for each of its names, and NSEC3PARAM. */
export function withNsec3(
  zone: string,
  records: readonly DnsRecord[],
  hashing: Hashing,
): readonly DnsRecord[] {
  const { algorithm = 1, flags = 0, iterations = 0, salt = '' } = hashing;
  const types = typesByName(records);
  const hashes = [...types].map(([name, of]) => ({ hash: hashOf(name, hashing), of }));
  const sorted = hashes.toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
  const chain = sorted.map(({ hash, of }, at) => {
    const nextHash = sorted[(at + 1) % sorted.length]?.hash ?? hash;
    const fields = { algorithm, flags, iterations, salt, nextHash, types: [...of, 'RRSIG'] };
    return withRdata(`${hash}.${zone}`, 'NSEC3', fields);
  });
  const parameters = withRdata(zone, 'NSEC3PARAM', { algorithm, flags: 0, iterations, salt });
  return [...records, parameters, ...chain];
}

function withRdata(name: string, type: string, data: DnsRecord['data']): DnsRecord {
  return { name, type, ttl, data, rdata: encode(type, data)?.toString('hex') ?? '' };
}

/** RFC 5155 §5. */
export function hashOf(name: string, { iterations = 0, salt = '' }: Hashing): string {
  const sha1 = (bytes: Buffer) => createHash('sha1').update(bytes).update(Buffer.from(salt, 'hex')).digest();
  let digest = sha1(wireName(name));
  for (let round = 0; round < iterations; round += 1) digest = sha1(digest);
  const bits = [...digest].map((octet) => octet.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => Number.parseInt(five, 2).toString(32)).join('');
}

/** The records, with their signatures, by which a server of the zone denies a name that is not there, or a type at one that is. */
export function denialOf(zone: string, records: readonly DnsRecord[], name: string): readonly DnsRecord[] {
  const isThere = records.some((record) => record.name === name && record.type !== 'NSEC3');
  const wildcard = `*.${zone}`;
  const nsec = records.filter(({ type }) => type === 'NSEC');
  const nsec3 = records.filter(({ type }) => type === 'NSEC3');
  const hash = (of: string) => hashOf(of, (nsec3[0]?.data ?? {}) as Hashing);
  const wanted = isThere
    ? [matching(nsec, name), matching(nsec3, `${hash(name)}.${zone}`)]
    : [
        covering(nsec, name, 'nextName'),
        covering(nsec, wildcard, 'nextName') ?? matching(nsec, wildcard),
        matching(nsec3, `${hash(zone)}.${zone}`),
        covering(nsec3, hash(name), 'nextHash'),
        covering(nsec3, hash(wildcard), 'nextHash') ?? matching(nsec3, `${hash(wildcard)}.${zone}`),
      ];
  const chosen = [...new Set(wanted.flatMap((record) => record ?? []))];
  const owners = new Set(chosen.map((record) => record.name));
  const signatures = records.filter(
    ({ name: owner, type, data }) =>
      type === 'RRSIG' &&
      owners.has(owner) &&
      ['NSEC', 'NSEC3'].includes(String((data as { typeCovered?: unknown }).typeCovered)),
  );
  return [...chosen, ...signatures];
}

function matching(chain: readonly DnsRecord[], name: string): DnsRecord | undefined {
  return chain.find((record) => record.name === name);
}

function covering(
  chain: readonly DnsRecord[],
  name: string,
  next: 'nextName' | 'nextHash',
): DnsRecord | undefined {
  const key = next === 'nextName' ? reversed : (text: string) => text.split('.')[0] ?? '';
  return chain.find((record) => {
    const [from, to, at] = [record.name, String((record.data as Record<string, unknown>)[next]), name].map(
      key,
    );
    if (from === undefined || to === undefined || at === undefined) return false;
    return from < to ? from < at && at < to : at > from || at < to;
  });
}
