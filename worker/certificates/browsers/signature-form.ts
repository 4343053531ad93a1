import {
  type DerNode,
  derAt,
  derIn,
  derTags,
  readObjectIdentifier,
  readWholeBits,
  writeDer,
} from '../grammar/der.ts';
import { describeSignature, readSignatureAlgorithm } from '../grammar/signature-names.ts';
import { both, type Browsers, type Refusal, refusedBy } from './refusal.ts';
import { listIn, someIn, wholeIn } from './strict-der.ts';

type Hash = { readonly id: Uint8Array; readonly bytes: number };

const id = (...arcs: readonly number[]) => writeDer(derTags.objectIdentifier, Uint8Array.from(arcs));
const sha2 = (last: number) => id(0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, last);
const hashes: readonly Hash[] = [
  { id: sha2(1), bytes: 32 },
  { id: sha2(2), bytes: 48 },
  { id: sha2(3), bytes: 64 },
];
const pss = '1.2.840.113549.1.1.10';
const mask = id(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 8);
const nothing = writeDer(0x05);

/** Algorithms beside RSA-PSS that both browsers verify. Ed25519, DSA, SHA-224 and all that is not here no public CA may use (Baseline Requirements §7.1.3.2). */
const verified: ReadonlyMap<string, 'RSA' | 'ECDSA'> = new Map([
  ['1.2.840.113549.1.1.11', 'RSA'],
  ['1.2.840.113549.1.1.12', 'RSA'],
  ['1.2.840.113549.1.1.13', 'RSA'],
  ['1.2.840.10045.4.3.2', 'ECDSA'],
  ['1.2.840.10045.4.3.3', 'ECDSA'],
  ['1.2.840.10045.4.3.4', 'ECDSA'],
]);
/** Chrome's verifier has ML-DSA (RFC 9881), that of Firefox has not. */
const onlyChrome: ReadonlySet<string> = new Set([17, 18, 19].map((last) => `2.16.840.1.101.3.4.3.${last}`));

/** What browsers refuse about how a certificate is signed: the algorithm, its parameters, or two that differ (RFC 5280 §4.1.1.2). A hash that is weak is reported elsewhere. */
export function refuseSignature(certificate: Uint8Array, inner: DerNode | undefined): readonly Refusal[] {
  const node = derIn(certificate);
  const outer = derAt(node, 1);
  const by = judgeAlgorithm(outer);
  const { name, isWeak } = describeSignature(readSignatureAlgorithm(outer));
  return [
    ...(by === null || isWeak ? [] : [refusal(`is signed in a way that is not accepted (${name})`, by)]),
    ...(isSameAlgorithm(outer, inner) ? [] : [refusal('names two different signature algorithms', both)]),
    ...(readWholeBits(derAt(node, 2)) === null ? [refusal('has a signature that is cut off', both)] : []),
  ];
}

function refusal(what: string, by: Browsers): Refusal {
  return { reason: 'signature-unsupported', what, by };
}

function judgeAlgorithm(algorithm: DerNode | undefined): Browsers | null {
  const [first, parameters, ...more] = listIn(algorithm) ?? [];
  const name = readObjectIdentifier(first);
  if (more.length > 0) return both;
  if (name === pss) return judgePss(parameters);
  if (onlyChrome.has(name)) return parameters === undefined ? 'Firefox' : both;
  const kind = verified.get(name);
  const isNull = parameters !== undefined && Buffer.compare(parameters.whole, nothing) === 0;
  if (kind === undefined || (parameters !== undefined && !isNull)) return both;
  return isNull && kind === 'ECDSA' ? 'Chrome' : null; // RFC 5758 §3.2 wants them absent
}

/** One hash for message and mask, and a salt as long as it. Firefox wants the bytes that the Baseline Requirements give (§7.1.3.2.1), where Chrome lets the NULLs of the hashes be absent. */
function judgePss(parameters: DerNode | undefined): Browsers | null {
  const forms = hashes.map((hash) => writePss(hash, [nothing, nothing]));
  const loose = hashes.flatMap((hash) => [
    writePss(hash, [nothing]),
    writePss(hash, [undefined, nothing]),
    writePss(hash, []),
  ]);
  const isAmong = (list: readonly Uint8Array[]) =>
    parameters !== undefined && list.some((one) => Buffer.compare(one, parameters.whole) === 0);
  const isStrict = isAmong(forms);
  return refusedBy(!isStrict && !isAmong(loose), !isStrict);
}

/** Parameters of RSA-PSS (RFC 4055 §3.1). @param nulls behind the hash, and behind that of the mask */
function writePss({ id: hash, bytes }: Hash, nulls: readonly (Uint8Array | undefined)[]): Uint8Array {
  const [own, masked] = [0, 1].map((index) =>
    writeDer(derTags.sequence, hash, nulls[index] ?? new Uint8Array(0)),
  );
  const none = new Uint8Array(0);
  return writeDer(
    derTags.sequence,
    writeDer(0xa0, own ?? none),
    writeDer(0xa1, writeDer(derTags.sequence, mask, masked ?? none)),
    writeDer(0xa2, writeDer(derTags.integer, Uint8Array.of(bytes))),
  );
}

/** The two may differ in the NULL of RSA alone. */
function isSameAlgorithm(outer: DerNode | undefined, inner: DerNode | undefined): boolean {
  if (outer === undefined || inner === undefined) return false;
  if (Buffer.compare(outer.whole, inner.whole) === 0) return true;
  const name = readObjectIdentifier(someIn(outer)?.[0]);
  const isNullOrAbsent = (one: DerNode) => {
    const [, parameters] = someIn(wholeIn(one.whole)) ?? [];
    return parameters === undefined || Buffer.compare(parameters.whole, nothing) === 0;
  };
  return (
    verified.get(name) === 'RSA' &&
    name === readObjectIdentifier(someIn(inner)?.[0]) &&
    isNullOrAbsent(outer) &&
    isNullOrAbsent(inner)
  );
}
