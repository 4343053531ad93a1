import {
  type DerNode,
  derAt,
  derChildren,
  derIn,
  derTags,
  parseDer,
  readObjectIdentifier,
  readSerialNumber,
  readSmallInteger,
  readTime,
  readWholeBits,
} from './der.ts';
import { childrenOf } from './extensions.ts';
import { type Malformed, malformed } from './malformed.ts';

/** What a CA says of one certificate. */
export type OcspStatus = {
  /** Lower-case hex without leading zeros. */
  readonly serialNumber: string;
  readonly status: 'good' | 'revoked' | 'unknown';
  /** Unix ms. */
  readonly revokedAt: number | null;
  readonly thisUpdate: number;
  readonly nextUpdate: number | null;
};

export type OcspResponse = {
  readonly kind: 'ocsp';
  /** 0 is successful; the others carry no statuses (RFC 6960 §4.2.1). */
  readonly responseStatus: number;
  readonly producedAt: number | null;
  readonly statuses: readonly OcspStatus[];
  /** What is signed, by which algorithm, and the signature; all empty where there are no statuses. */
  readonly signed: Uint8Array;
  readonly signatureAlgorithm: string;
  readonly signature: Uint8Array;
  /** DER of the certificates that came along, one of which may belong to the responder. */
  readonly certificates: readonly Uint8Array[];
};

const basicResponse = '1.3.6.1.5.5.7.48.1.1';

const nothing = new Uint8Array(0);
const unsigned = { signed: nothing, signatureAlgorithm: '', signature: nothing, certificates: [] } as const;

/** Reads an OCSP response (RFC 6960 §4.2.1). Its signature is not checked here. */
export function parseOcspResponse(bytes: Uint8Array): OcspResponse | Malformed {
  const node = parseDer(bytes);
  if (node.kind === 'malformed') return node;
  const responseStatus = readSmallInteger(derAt(node, 0));
  if (node.tag !== derTags.sequence || responseStatus === null)
    return malformed('a value that is no OCSP response', 0);
  if (responseStatus !== 0)
    return { kind: 'ocsp', responseStatus, producedAt: null, statuses: [], ...unsigned };
  const type = readObjectIdentifier(derAt(node, 1, 0, 0));
  const basic = derIn(derAt(node, 1, 0, 1)?.content);
  if (type !== basicResponse || basic === undefined) return malformed('a response of an unknown type', 0);
  return readBasicResponse(basic, responseStatus);
}

function readBasicResponse(basic: DerNode, responseStatus: number): OcspResponse | Malformed {
  const signed = derAt(basic, 0);
  const fields = signed === undefined ? [] : derChildren(signed);
  const timeIndex = fields.findIndex(({ tag }) => tag === derTags.generalizedTime);
  const list = fields[timeIndex + 1];
  if (timeIndex < 0 || list?.tag !== derTags.sequence) return malformed('a response without its date', 0);
  const statuses = derChildren(list).map(readStatus);
  if (!statuses.every((status) => status !== null)) return malformed('a status that breaks its grammar', 0);
  return {
    kind: 'ocsp',
    responseStatus,
    producedAt: readTime(fields[timeIndex]),
    statuses,
    signed: signed?.whole ?? nothing,
    signatureAlgorithm: readObjectIdentifier(derAt(basic, 1, 0)),
    signature: readWholeBits(derAt(basic, 2)) ?? nothing,
    certificates: childrenOf(derAt(basic, 3, 0)).map(({ whole }) => whole),
  };
}

function readStatus(single: DerNode): OcspStatus | null {
  const [id, status, thisUpdate, next] = derChildren(single);
  const serialNumber = readSerialNumber(derAt(id, 3));
  const since = readTime(thisUpdate);
  if (serialNumber === null || status === undefined || since === null) return null;
  const kind = statusOf(status.tag);
  if (kind === null) return null;
  return {
    serialNumber,
    status: kind,
    revokedAt: kind === 'revoked' ? readTime(derAt(status, 0)) : null,
    thisUpdate: since,
    nextUpdate: next?.tag === 0xa0 ? readTime(derAt(next, 0)) : null,
  };
}

/** CertStatus is a CHOICE: [0] good, [1] revoked with its time, [2] unknown. */
function statusOf(tag: number): OcspStatus['status'] | null {
  if (tag === 0x80) return 'good';
  if (tag === 0xa1) return 'revoked';
  return tag === 0x82 ? 'unknown' : null;
}
