import { createHash } from 'node:crypto';
import { nameToWire, parseName } from '../../../../dns/name.ts';
import type { Dnskey, Ds } from '../../../../dns/record-values.ts';
import { digestTypeOf } from './algorithms.ts';
import { dnskeyRdata, keyTagOf } from './key-tag.ts';

/**
 * The digest that a DS of this key has (RFC 4034 §5.1.4).
 * @param zone the key's owner, e.g. "example.com"
 * @returns lower-case hex; undefined for digest types that are not computed here
 */
export function digestOf(zone: string, dnskey: Dnskey, digestType: number): string | undefined {
  const { hash } = digestTypeOf(digestType);
  const owner = parseName(zone);
  if (hash === null || 'malformed' in owner) return undefined;
  return createHash(hash).update(nameToWire(owner)).update(dnskeyRdata(dnskey)).digest('hex');
}

/**
 * The key that a DS was made of.
 * @returns null when there is none among these keys; undefined when the digest type is not computed here
 */
export function keyOfDs(zone: string, ds: Ds, keys: readonly Dnskey[]): Dnskey | null | undefined {
  if (digestTypeOf(ds.digestType).hash === null) return undefined;
  const found = keys.find(
    (key) =>
      key.algorithm === ds.algorithm &&
      keyTagOf(key) === ds.keyTag &&
      digestOf(zone, key, ds.digestType) === ds.digest.toLowerCase(),
  );
  return found ?? null;
}
