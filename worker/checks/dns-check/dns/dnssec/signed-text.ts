import { type Name, nameToWire, parseName } from '../../../../dns/name.ts';
import type { Rrsig } from '../../../../dns/record-values.ts';
import { typeNumberOf } from './type-numbers.ts';

const classIn = 1;

/** A set of records as it is signed: owner, type, and each RDATA in canonical form as hex. */
export type SignedSet = {
  readonly name: string;
  readonly type: string;
  readonly rdatas: readonly string[];
};

/**
 * The octets that a signature is made over: its own fields, then the records in canonical form and order (RFC 4034 §3.1.8.1, §6).
 * @returns undefined when a name or type cannot be written down, or the signature claims more labels than the owner has
 */
export function signedText(set: SignedSet, rrsig: Rrsig): Buffer | undefined {
  const owner = parseName(set.name);
  const signer = parseName(rrsig.signerName);
  const type = typeNumberOf(set.type);
  if ('malformed' in owner || 'malformed' in signer || type === undefined) return undefined;
  const signedOwner = ownerAsSigned(owner, rrsig.labels);
  if (!signedOwner) return undefined;
  const ownerWire = nameToWire(signedOwner);
  const rdatas = canonicalOrder(set.rdatas.map((hex) => Buffer.from(hex, 'hex')));
  const records = rdatas.flatMap((rdata) => [
    ownerWire,
    uint16(type),
    uint16(classIn),
    uint32(rrsig.originalTtl),
    uint16(rdata.length),
    rdata,
  ]);
  return Buffer.concat([rrsigHead(rrsig, type), nameToWire(signer), ...records]);
}

/** Sorts by octets, and leaves out what is there twice (RFC 4034 §6.3). */
export function canonicalOrder(rdatas: readonly Buffer[]): readonly Buffer[] {
  return rdatas
    .toSorted((a, b) => Buffer.compare(a, b))
    .filter((rdata, at, all) => at === 0 || !rdata.equals(all[at - 1] ?? Buffer.alloc(0)));
}

// Fewer labels than the owner has: the answer came from a wildcard, and that is what was signed (RFC 4035 §5.3.2).
function ownerAsSigned(owner: Name, labels: number): Name | undefined {
  const count = owner.labels[0] === '*' ? owner.labels.length - 1 : owner.labels.length;
  if (labels > count) return undefined;
  if (labels === count) return owner;
  return { labels: ['*', ...owner.labels.slice(owner.labels.length - labels)] };
}

function rrsigHead(rrsig: Rrsig, type: number): Buffer {
  return Buffer.concat([
    uint16(type),
    Buffer.of(rrsig.algorithm & 0xff, rrsig.labels & 0xff),
    uint32(rrsig.originalTtl),
    uint32(rrsig.expiration),
    uint32(rrsig.inception),
    uint16(rrsig.keyTag),
  ]);
}

function uint16(value: number): Buffer {
  return Buffer.of((value >> 8) & 0xff, value & 0xff);
}

function uint32(value: number): Buffer {
  const octets = Buffer.alloc(4);
  octets.writeUInt32BE(value >>> 0);
  return octets;
}
