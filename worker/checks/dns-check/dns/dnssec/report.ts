import type { PartState } from '#shared/catalogue/dns-check/part-state';
import type { DnssecStatus } from '#shared/catalogue/dns-check/report';
import type { Dnskey } from '../../../../dns/record-values.ts';
import { algorithmOf } from './algorithms.ts';
import { entryPointFlag, isoTime, keyTagOf, revokedFlag, zoneKeyFlag } from './key-tag.ts';
import { keyBitsOf } from './public-key.ts';
import { lastingSignature, type Signing } from './read-signing.ts';
import type { DnssecFacts } from './status.ts';

const states: { readonly [S in DnssecStatus]: PartState } = {
  secure: 'ok',
  insecure: 'missing',
  bogus: 'invalid',
  indeterminate: 'unknown',
};

/** The report's `dnssec`. */
export function reportDnssec(
  { keys, ds, sets }: Signing,
  { status, reason, resolverValidates }: DnssecFacts,
) {
  const ends = sets.flatMap((set) => lastingSignature(set)?.expiration ?? []);
  return {
    state: states[status],
    status,
    reason,
    ds: ds.map(({ ds: one, key }) => ({ ...one, matches: key === undefined ? null : key !== null })),
    keys: keys.map(showKey),
    signatures: sets.flatMap(({ type, signatures }) =>
      signatures.map(({ rrsig, verdict }) => ({
        type,
        keyTag: rrsig.keyTag,
        verdict,
        inception: isoTime(rrsig.inception),
        expiration: isoTime(rrsig.expiration),
      })),
    ),
    signaturesUntil: ends.length === 0 ? null : isoTime(Math.min(...ends)),
    resolverValidates,
  };
}

function showKey(key: Dnskey) {
  return {
    keyTag: keyTagOf(key),
    algorithm: key.algorithm,
    algorithmName: algorithmOf(key.algorithm).name,
    role: roleOf(key),
    bits: keyBitsOf(key),
  };
}

function roleOf({ flags }: Dnskey): 'key-signing' | 'zone-signing' | 'revoked' | 'other' {
  if ((flags & revokedFlag) !== 0) return 'revoked';
  if ((flags & zoneKeyFlag) === 0) return 'other';
  return (flags & entryPointFlag) === 0 ? 'zone-signing' : 'key-signing';
}
