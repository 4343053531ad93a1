import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { DnsRecord } from '../../../worker/probes/dns/port.ts';
import { recordTypes } from '../../kit/record-types.ts';
import { encode, wireName } from './zone-file.ts';

export type SigningKey = {
  readonly flags: number;
  readonly algorithm: number;
  readonly key: string;
  readonly secret: KeyObject;
};

/** A fresh Ed25519 key: 257 signs keys, 256 signs all else. */
export function makeKey(flags: number): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return { flags, algorithm: 15, key: Buffer.from(x, 'base64url').toString('base64'), secret: privateKey };
}

/** A DNSKEY line of the key. */
export function keyLine({ flags, algorithm, key }: SigningKey, type = 'DNSKEY'): string {
  return `@ 3600 ${type} ${flags} 3 ${algorithm} ${key}`;
}

/** A DS line of the key for its parent, or a CDS line. */
export function dsLine(zone: string, key: SigningKey, { type = 'DS', digestType = 2 } = {}): string {
  const hash = createHash(digestType === 1 ? 'sha1' : 'sha256');
  const digest = hash.update(wireName(zone)).update(rdataOf(key)).digest('hex');
  return `${zone} 3600 ${type} ${tagOf(key)} ${key.algorithm} ${digestType} ${digest}`;
}

/** The zone with an RRSIG for every set of records in it. */
export function signZone(
  zone: string,
  records: readonly DnsRecord[],
  keys: readonly SigningKey[],
  {
    fromS,
    untilS,
    keySigned = ['DNSKEY'],
  }: { readonly fromS: number; readonly untilS: number; readonly keySigned?: readonly string[] },
): DnsRecord[] {
  const sets = Map.groupBy(records, ({ name, type }) => `${name} ${type}`);
  const signatures = [...sets.values()].flatMap((set) => {
    const [first] = set;
    const key =
      keys.find(({ flags }) => (flags === 257) === keySigned.includes(first?.type ?? '')) ?? keys[0];
    return first && key ? [signSet(zone, set, key, { fromS, untilS })] : [];
  });
  return [...records, ...signatures];
}

function signSet(
  zone: string,
  set: readonly DnsRecord[],
  key: SigningKey,
  { fromS, untilS }: { readonly fromS: number; readonly untilS: number },
): DnsRecord {
  const [{ name, type, ttl }] = set as [DnsRecord];
  const labels = name.split('.').filter((label) => label !== '*').length;
  const numbers: { readonly [type: string]: number } = recordTypes;
  const head = Buffer.alloc(18);
  head.writeUInt16BE(numbers[type] ?? 0, 0);
  head.writeUInt8(key.algorithm, 2);
  head.writeUInt8(labels, 3);
  head.writeUInt32BE(ttl, 4);
  head.writeUInt32BE(untilS, 8);
  head.writeUInt32BE(fromS, 12);
  head.writeUInt16BE(tagOf(key), 16);
  const rdatas = set
    .map(({ data }) => encode(type, data) ?? Buffer.alloc(0))
    .toSorted((a, b) => Buffer.compare(a, b));
  const body = rdatas.flatMap((rdata) => {
    const prefix = Buffer.alloc(10);
    prefix.writeUInt16BE(numbers[type] ?? 0, 0);
    prefix.writeUInt16BE(1, 2);
    prefix.writeUInt32BE(ttl, 4);
    prefix.writeUInt16BE(rdata.length, 8);
    return [wireName(name), prefix, rdata];
  });
  const signature = sign(null, Buffer.concat([head, wireName(zone), ...body]), key.secret).toString('base64');
  return {
    name,
    type: 'RRSIG',
    ttl,
    data: {
      typeCovered: type,
      algorithm: key.algorithm,
      labels,
      originalTtl: ttl,
      expiration: untilS,
      inception: fromS,
      keyTag: tagOf(key),
      signerName: zone,
      signature,
    },
  };
}

function rdataOf({ flags, algorithm, key }: SigningKey): Buffer {
  return Buffer.concat([Buffer.of(flags >> 8, flags & 0xff, 3, algorithm), Buffer.from(key, 'base64')]);
}

function tagOf(key: SigningKey): number {
  let sum = 0;
  for (const [at, octet] of rdataOf(key).entries()) sum += at % 2 === 0 ? octet * 256 : octet;
  return (sum + Math.floor(sum / 65_536)) % 65_536;
}
