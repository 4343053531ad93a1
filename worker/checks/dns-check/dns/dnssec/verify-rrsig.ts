import { type KeyObject, verify } from 'node:crypto';
import type { Dnskey, Rrsig } from '../../../../dns/record-values.ts';
import { algorithmOf, type Scheme } from './algorithms.ts';
import { keyTagOf, revokedFlag, zoneKeyFlag } from './key-tag.ts';
import { parsePublicKey } from './public-key.ts';
import { type SignedSet, signedText } from './signed-text.ts';

/** How a signature stands. Only `valid` and `unsupported` let a validator go on. */
export type SignatureVerdict =
  | 'valid'
  | 'expired'
  | 'not-yet-valid'
  | 'no-key'
  | 'wrong-signer'
  | 'does-not-verify'
  | 'unsupported';

/** What was worked out before: the servers of a zone give the same keys and the same signatures, and these are most of the work. */
export type KnownSignatures = {
  readonly keys: Map<string, KeyObject | undefined>;
  readonly signatures: Map<string, boolean>;
};

/** How many keys of one tag are tried; a zone with more is made to keep validators busy (CVE-2023-50387). */
const sameTagLimit = 4;

/** `known` is that of one run: nothing is kept beyond it. */
export type SigningKeys = {
  readonly zone: string;
  readonly keys: readonly Dnskey[];
  readonly atS: number;
  readonly known?: KnownSignatures | undefined;
};

/**
 * Checks one signature over a set of records (RFC 4035 §5.3).
 * @param zone whose keys may sign, e.g. "example.com"
 * @param atS the time of looking, Unix s
 */
export function verifyRrsig(
  set: SignedSet,
  rrsig: Rrsig,
  { zone, keys, atS, known = { keys: new Map(), signatures: new Map() } }: SigningKeys,
): SignatureVerdict {
  if (rrsig.signerName !== zone || rrsig.typeCovered !== set.type) return 'wrong-signer';
  if (algorithmOf(rrsig.algorithm).scheme === null) return 'unsupported';
  const candidates = keys.filter((key) => mayHaveSigned(key, rrsig)).slice(0, sameTagLimit);
  if (candidates.length === 0) return 'no-key';
  if (isLater(atS, rrsig.expiration)) return 'expired';
  if (isLater(rrsig.inception, atS)) return 'not-yet-valid';
  return candidates.some((key) => verifies(set, rrsig, { key, known })) ? 'valid' : 'does-not-verify';
}

// The octets alone: no time, no signer, no key tag.
function verifies(
  set: SignedSet,
  rrsig: Rrsig,
  { key: dnskey, known }: { readonly key: Dnskey; readonly known: KnownSignatures },
): boolean {
  const text = signedText(set, rrsig);
  if (text === undefined) return false;
  const name = [dnskey.algorithm, dnskey.key, rrsig.signature, text.toString('latin1')].join(' ');
  const verdict = known.signatures.get(name) ?? fits(text, rrsig, keyOf(dnskey, known));
  known.signatures.set(name, verdict);
  return verdict;
}

function keyOf(dnskey: Dnskey, { keys }: KnownSignatures): KeyObject | undefined {
  const name = `${dnskey.algorithm} ${dnskey.key}`;
  if (!keys.has(name)) {
    const key = parsePublicKey(dnskey);
    keys.set(name, 'malformed' in key ? undefined : key);
  }
  return keys.get(name);
}

function fits(text: Buffer, rrsig: Rrsig, key: KeyObject | undefined): boolean {
  const { scheme } = algorithmOf(rrsig.algorithm);
  if (scheme === null || key === undefined) return false;
  const signature = Buffer.from(rrsig.signature, 'base64');
  try {
    return verify(hashOf(scheme), text, { key, dsaEncoding: 'ieee-p1363' }, signature);
  } catch {
    // OpenSSL throws for some keys that it can read but not use, e.g. an even modulus; such a key has signed nothing.
    return false;
  }
}

/** Times are compared as serial numbers: they wrap around in 2106 (RFC 4034 §3.1.5, RFC 1982 §3.2). */
export function isLater(a: number, b: number): boolean {
  const distance = (a - b) >>> 0;
  return distance !== 0 && distance < 0x80000000;
}

function mayHaveSigned(key: Dnskey, rrsig: Rrsig): boolean {
  return (
    key.algorithm === rrsig.algorithm &&
    key.protocol === 3 &&
    (key.flags & zoneKeyFlag) !== 0 &&
    ((key.flags & revokedFlag) === 0 || rrsig.typeCovered === 'DNSKEY') &&
    keyTagOf(key) === rrsig.keyTag
  );
}

function hashOf(scheme: Scheme): string | null {
  return scheme.kind === 'eddsa' ? null : scheme.hash;
}
