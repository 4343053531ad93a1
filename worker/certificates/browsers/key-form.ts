import { type DerNode, derTags, readObjectIdentifier, readWholeBits } from '../grammar/der.ts';
import { both, type Browsers } from './refusal.ts';
import { isShortest, listIn, readByte, wholeIn } from './strict-der.ts';

const rsa = '1.2.840.113549.1.1.1';
const elliptic = '1.2.840.10045.2.1';
/** Bytes of a coordinate, by curve. */
const coordinates: ReadonlyMap<string, number> = new Map([
  ['1.2.840.10045.3.1.7', 32],
  ['1.3.132.0.34', 48],
  ['1.3.132.0.35', 66],
]);

/** Who cannot read a SubjectPublicKeyInfo (RFC 5280 §4.1.2.7, RFC 3279 §2.3.1, RFC 5480 §2); null where both can. Kinds of keys that no browser takes are reported elsewhere. */
export function refuseKey(info: DerNode | undefined): Browsers | null {
  const [algorithm, key, ...behind] = listIn(info) ?? [];
  const [id, parameters, ...more] = listIn(algorithm) ?? [];
  const bytes = readWholeBits(key);
  if (bytes === null || id === undefined || behind.length > 0 || more.length > 0) return both;
  const kind = readObjectIdentifier(id);
  if (kind === rsa) return refuseRsa(parameters, bytes);
  const size = kind === elliptic ? coordinates.get(readObjectIdentifier(parameters)) : undefined;
  // The one form of a point that Firefox reads is the uncompressed one.
  return size === undefined || (bytes[0] === 0x04 && bytes.length === 1 + 2 * size) ? null : 'Firefox';
}

function refuseRsa(parameters: DerNode | undefined, bytes: Uint8Array): Browsers | null {
  const isNull = parameters?.tag === 0x05 && parameters.content.length === 0;
  const [modulus, exponent, ...more] = listIn(wholeIn(bytes)) ?? [];
  if (!isNull || !isPositive(modulus) || !isPositive(exponent) || more.length > 0) return both;
  return isOdd(modulus) && isOdd(exponent) && readByte(exponent.content) !== 1 ? null : 'Chrome';
}

function isOdd({ content }: DerNode): boolean {
  return ((content.at(-1) ?? 0) & 1) === 1;
}

function isPositive(node: DerNode | undefined): node is DerNode {
  if (node?.tag !== derTags.integer || !isShortest(node.content)) return false;
  const [first = 0] = node.content;
  return first < 0x80 && (first > 0 || node.content.length > 1);
}
