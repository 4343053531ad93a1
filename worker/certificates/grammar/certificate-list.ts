import {
  type DerNode,
  derAt,
  derChildren,
  derIn,
  derTags,
  emptyHead,
  parseDer,
  readHead,
  readObjectIdentifier,
  readSmallInteger,
  readTime,
  readWholeBits,
} from './der.ts';
import { childrenOf, collectExtensions, type Extension, isSet, readFullName } from './extensions.ts';
import { type Malformed, malformed } from './malformed.ts';

/** A certificate revocation list (RFC 5280 §5.1). Its entries are left as they lie, to be scanned for one serial number. */
export type CertificateList = {
  readonly kind: 'list';
  /** The name of its issuer, DER. */
  readonly issuer: Uint8Array;
  /** Unix ms. */
  readonly thisUpdate: number;
  readonly nextUpdate: number | null;
  readonly entries: Uint8Array;
  readonly scope: ListScope;
  /** What is signed, by which algorithm, and the signature. */
  readonly signed: Uint8Array;
  readonly signatureAlgorithm: string;
  readonly signature: Uint8Array;
};

/** What a list speaks of, by its extensions. */
export type ListScope = {
  /** It only tells what changed since another list (RFC 5280 §5.2.4). */
  readonly isDelta: boolean;
  /** It may hold certificates of other issuers (§5.2.5, §5.3.3). */
  readonly isIndirect: boolean;
  /** Kinds of certificates that alone are in it. */
  readonly only: 'users' | 'authorities' | 'attributes' | null;
  readonly onlySomeReasons: boolean;
  /** Addresses of the distribution point that it is for; null when it names none. */
  readonly distributionPoint: readonly string[] | null;
  /** A critical extension that is not read here: then the list must not be used (§5.2). */
  readonly unknownCritical: string | null;
};

/** What a list says of one certificate. */
export type RevokedEntry = {
  /** Unix ms. */
  readonly revokedAt: number | null;
  /** By the name that RFC 5280 §5.3.1 gives it; null when none is reported. */
  readonly reason: string | null;
};

const ids = {
  reason: '2.5.29.21',
  deltaIndicator: '2.5.29.27',
  issuingDistributionPoint: '2.5.29.28',
} as const;

/** 2.5.29.29 as it stands in an entry that names another issuer than the list's. */
const certificateIssuerId = Buffer.from([0x06, 0x03, 0x55, 0x1d, 0x1d]);

const reasons = new Map([
  [0, 'unspecified'],
  [1, 'keyCompromise'],
  [2, 'cACompromise'],
  [3, 'affiliationChanged'],
  [4, 'superseded'],
  [5, 'cessationOfOperation'],
  [6, 'certificateHold'],
  [8, 'removeFromCRL'],
  [9, 'privilegeWithdrawn'],
  [10, 'aACompromise'],
]);

/** Reads a CertificateList in DER, but for its entries. The signature is not checked here. */
export function parseCertificateList(bytes: Uint8Array): CertificateList | Malformed {
  const node = parseDer(bytes);
  if (node.kind === 'malformed') return node;
  if (node.whole.length !== bytes.length) return malformed('bytes after the list', node.whole.length);
  const [signed, algorithm, bits, ...more] = derChildren(node);
  const signature = readWholeBits(bits);
  if (signed === undefined || algorithm === undefined || signature === null || more.length > 0)
    return malformed('a value that is no revocation list', 0);
  const body = readBody(signed);
  if (body === null) return malformed('a list whose fields are not in order', 0);
  const signatureAlgorithm = readObjectIdentifier(derChildren(algorithm)[0]);
  if (signatureAlgorithm === '' || signatureAlgorithm !== body.algorithm)
    return malformed('a list that names two signature algorithms', 0);
  const { algorithm: _, ...fields } = body;
  return { kind: 'list', ...fields, signed: signed.whole, signatureAlgorithm, signature };
}

/** The fields of TBSCertList; null when one that must be there is not. */
function readBody(signed: DerNode) {
  const fields = [...derChildren(signed)];
  const next = (tag: number) => (fields[0]?.tag === tag ? fields.shift() : undefined);
  next(derTags.integer); // the version is left out in v1
  const algorithm = readObjectIdentifier(derAt(next(derTags.sequence), 0));
  const issuer = next(derTags.sequence);
  const thisUpdate = readTime(fields.shift());
  const isTime = fields[0]?.tag === derTags.utcTime || fields[0]?.tag === derTags.generalizedTime;
  const nextUpdate = isTime ? readTime(fields.shift()) : null;
  const entries = next(derTags.sequence)?.content ?? new Uint8Array(0);
  const extensions = next(0xa0);
  const isComplete = issuer !== undefined && thisUpdate !== null && (!isTime || nextUpdate !== null);
  if (!isComplete || fields.length > 0) return null;
  const scope = readScope(collectExtensions(derAt(extensions, 0)), entries);
  return { algorithm, issuer: issuer.whole, thisUpdate, nextUpdate, entries, scope };
}

function readScope(extensions: ReadonlyMap<string, Extension>, entries: Uint8Array): ListScope {
  const parts = childrenOf(derIn(extensions.get(ids.issuingDistributionPoint)?.value));
  const part = (tag: number) => parts.find((one) => one.tag === tag);
  const known: readonly string[] = Object.values(ids);
  return {
    isDelta: extensions.has(ids.deltaIndicator),
    // Five bytes could stand in a serial number by chance, once in 2^40: then a list is left unused.
    isIndirect: isSet(part(0x84)) || Buffer.from(entries).includes(certificateIssuerId),
    only: readOnly(part),
    onlySomeReasons: part(0x83) !== undefined,
    distributionPoint: part(0xa0) === undefined ? null : readFullName(part(0xa0)),
    unknownCritical:
      [...extensions].find(([id, { isCritical }]) => isCritical && !known.includes(id))?.[0] ?? null,
  };
}

function readOnly(part: (tag: number) => DerNode | undefined): ListScope['only'] {
  if (isSet(part(0x81))) return 'users';
  if (isSet(part(0x82))) return 'authorities';
  return isSet(part(0x85)) ? 'attributes' : null;
}

/**
 * Looks through all entries for a serial number, in one pass that makes no object for any other: a list may hold 100,000.
 * @param serialNumber lower-case hex without leading zeros
 */
export function scanEntries(
  entries: Uint8Array,
  serialNumber: string,
): { readonly kind: 'scan'; readonly count: number; readonly entry: RevokedEntry | null } | Malformed {
  const wanted = Buffer.from(
    serialNumber.padStart(serialNumber.length + (serialNumber.length % 2), '0'),
    'hex',
  );
  const whole = emptyHead();
  const serial = emptyHead();
  let found: Uint8Array | null = null;
  let count = 0;
  for (let at = 0; at < entries.length; at = whole.end) {
    const isEntry = readHead(entries, at, whole) && whole.tag === derTags.sequence;
    if (!isEntry || !readHead(entries, whole.contentAt, serial) || serial.tag !== derTags.integer)
      return malformed('an entry that breaks its grammar', at);
    if (serial.end > whole.end) return malformed('a serial number longer than its entry', at);
    count += 1;
    if (found === null && isSame(entries, serial.contentAt, serial.end, wanted))
      found = entries.subarray(at, whole.end);
  }
  return { kind: 'scan', count, entry: found && readEntry(found) };
}

/** Whether the bytes of a range are these, zeros before them left out. */
function isSame(bytes: Uint8Array, from: number, to: number, wanted: Uint8Array): boolean {
  let start = from;
  while (start < to - 1 && bytes[start] === 0) start += 1;
  if (to - start !== wanted.length) return false;
  for (let index = 0; index < wanted.length; index += 1)
    if (bytes[start + index] !== wanted[index]) return false;
  return true;
}

function readEntry(bytes: Uint8Array): RevokedEntry {
  const [, date, extensions] = childrenOf(derIn(bytes));
  const reason = readSmallInteger(derIn(collectExtensions(extensions).get(ids.reason)?.value));
  return {
    revokedAt: readTime(date),
    reason: reason === null ? null : (reasons.get(reason) ?? `reason ${reason}`),
  };
}
