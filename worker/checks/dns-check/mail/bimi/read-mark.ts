import { X509Certificate } from 'node:crypto';
import { unpack } from './decode-file.ts';

/** One certificate of a chain. */
export type MarkCertificate = {
  /** As OpenSSL writes names, in one line. */
  readonly subject: string;
  readonly issuer: string;
  /** Its subject alternative names as Node writes them ("DNS:a.test, DNS:b.test"); "" for none. */
  readonly names: string;
  readonly isAuthority: boolean;
  /** It says that it is for marks. */
  readonly isForMarks: boolean;
  readonly kind: 'VMC' | 'CMC' | null;
  /** ISO 8601. */
  readonly validFrom: string;
  readonly validUntil: string;
  readonly x509: X509Certificate;
};

/** Certificates of a mark's file as they stand there: the mark's own, then those that issued it. */
export type MarkChain = readonly [MarkCertificate, ...MarkCertificate[]];

/** id-kp-BrandIndicatorforMessageIdentification (draft-fetch-validation-vmc-wchuang §4.4). */
export const markPurpose = '1.3.6.1.5.5.7.3.31';

/** Reads the certificates of a chain; null where one cannot be read, in whatever part of it. */
export function readChain(pems: readonly string[]): MarkChain | null {
  try {
    const [first, ...others] = pems.map((pem) => readCertificate(new X509Certificate(pem)));
    return first ? [first, ...others] : null;
  } catch {
    // OpenSSL's own words say nothing to the owner of a mark.
    return null;
  }
}

function readCertificate(x509: X509Certificate): MarkCertificate {
  // Node types these as always there; without the extension they are not.
  const purposes: readonly string[] | undefined = x509.keyUsage;
  return {
    subject: x509.subject.replaceAll('\n', ', '),
    issuer: x509.issuer.replaceAll('\n', ', '),
    names: x509.subjectAltName ?? '',
    isAuthority: x509.ca,
    isForMarks: purposes?.includes(markPurpose) === true,
    kind: kindOf(x509.subject),
    validFrom: x509.validFromDate.toISOString(),
    validUntil: x509.validToDate.toISOString(),
    x509,
  };
}

// BIMI Group, "Minimum Security Requirements for Issuance of Mark Certificates": the type of the mark in the subject.
const markTypeKey = '1.3.6.1.4.1.53087.1.13=';
const kinds: ReadonlyMap<string, 'VMC' | 'CMC'> = new Map([
  ['Registered Mark', 'VMC'],
  ['Government Mark', 'VMC'],
  ['Prior Use Mark', 'CMC'],
  ['Modified Registered Mark', 'CMC'],
]);

function kindOf(subject: string): 'VMC' | 'CMC' | null {
  const line = subject.split('\n').find((one) => one.startsWith(markTypeKey));
  return kinds.get(line?.slice(markTypeKey.length) ?? '') ?? null;
}

/** True where a name of the certificate is this one to the letter: no wildcard, and never the subject. */
export function isNamed({ x509 }: MarkCertificate, name: string): boolean {
  return x509.checkHost(name, { subject: 'never', wildcards: false }) !== undefined;
}

/** True where the second certificate issued the first, and its signature holds. */
export function isIssuedBy({ x509: one }: MarkCertificate, { x509: issuer }: MarkCertificate): boolean {
  try {
    return one.checkIssued(issuer) && one.verify(issuer.publicKey);
  } catch {
    // A key of a kind that nobody knows signs nothing.
    return false;
  }
}

// The logotype extension (RFC 9399 §4.1), id-pe-logotype, as it stands in DER.
const logotype = Buffer.from('06082b0601050507010c', 'hex');
const dataUri = 'data:image/svg+xml';

/** The logo that a certificate carries as a data URI (RFC 9399 §4.1); null where there is none that can be read. */
export function logoOfMark({ x509: { raw } }: MarkCertificate): string | null {
  const extension = raw.indexOf(logotype);
  const start = extension < 0 ? -1 : raw.indexOf(dataUri, extension);
  const length = start < 0 ? 0 : lengthBefore(raw, start);
  const uri = raw.toString('latin1', start, start + length);
  const comma = uri.indexOf(',');
  if (comma < 0 || !uri.slice(0, comma).endsWith(';base64')) return null;
  const bytes = Buffer.from(uri.slice(comma + 1), 'base64');
  const unpacked = bytes[0] === 0x1f ? unpack(bytes) : bytes;
  return typeof unpacked === 'string' ? null : new TextDecoder().decode(unpacked);
}

// DER: the tag of an IA5String, then its length in one octet, or in so many as the first one says.
function lengthBefore(raw: Buffer, start: number): number {
  const ia5String = 0x16;
  if (raw[start - 2] === ia5String) return raw[start - 1] ?? 0;
  const size = [1, 2, 3].find(
    (octets) => raw[start - octets - 2] === ia5String && raw[start - octets - 1] === 0x80 + octets,
  );
  return size === undefined ? 0 : raw.readUIntBE(start - size, size);
}
