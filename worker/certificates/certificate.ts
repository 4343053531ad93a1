import { createHash, type KeyObject, X509Certificate } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isMalformed } from '#shared/model/verdict';
import { type CertificateExtensions, parseCertificateExtensions } from './grammar/certificate-extensions.ts';
import { derAt, derTags, parseDer } from './grammar/der.ts';
import { nameKeyOf } from './grammar/distinguished-name.ts';
import { describeSignature } from './grammar/signature-names.ts';

/** One certificate, as far as it can be read. */
export type Certificate = {
  readonly x509: X509Certificate;
  /** As it came: `x509.raw` is written anew by OpenSSL. */
  readonly der: Uint8Array;
  readonly extensions: CertificateExtensions;
  /** The common name, else the whole subject, else the first DNS name: never empty. */
  readonly subject: string;
  readonly issuer: string;
  /** The whole names in one line; empty where the certificate has none. */
  readonly subjectText: string;
  readonly issuerText: string;
  /** The names in the form in which they are compared. */
  readonly nameKey: string;
  readonly issuerKey: string;
  readonly commonName: string | null;
  readonly names: readonly string[];
  /** Unix ms. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly key: CertificateKey;
  readonly signature: { readonly name: string; readonly isWeak: boolean; readonly isBroken: boolean };
  readonly sha256: string;
  readonly bytes: number;
  readonly isSelfIssued: boolean;
};

export type CertificateKey = {
  /** "RSA", "EC", "Ed25519", … */
  readonly type: string;
  readonly bits: number | null;
  readonly curve: string | null;
};

/** Characters of base64: some 500 certificates, a few megabytes once they are read. Intermediates of the large CAs come again and again. */
const keptCharacters = 1_000_000;
/** As long as a Certificate message may be (102,400 bytes): one run reads the same certificate some ten times, and the longest take 10 ms. */
const keptAtMost = 140_000;
const read = new LRUCache<string, Certificate>({
  maxSize: keptCharacters,
  maxEntrySize: keptAtMost,
  sizeCalculation: (_, base64) => base64.length,
});

/** Reads a certificate (base64 DER); undefined for bytes that are none. Each time another object: a chain may hold one certificate twice. */
export function readCertificate(base64: string): Certificate | undefined {
  const known = read.get(base64);
  if (known !== undefined) return { ...known };
  const certificate = readOnce(base64);
  if (certificate !== undefined) read.set(base64, certificate);
  return certificate && { ...certificate };
}

function readOnce(base64: string): Certificate | undefined {
  const der = Buffer.from(base64, 'base64');
  const extensions = parseCertificateExtensions(der);
  if (isMalformed(extensions)) return undefined;
  const { notBefore, notAfter } = extensions;
  // No client reads a certificate with a thirteenth month.
  if (notBefore === null || notAfter === null) return undefined;
  const x509 = parseX509(der);
  if (x509 === undefined) return undefined;
  // Of an empty name Node gives undefined, whatever its types say: certificates of a subject without a name are in use.
  const subjectText = (x509.subject as string | undefined) ?? '';
  const issuerText = (x509.issuer as string | undefined) ?? '';
  const commonName = readCommonName(subjectText);
  return {
    x509,
    der,
    extensions,
    subject: commonName ?? (oneLine(subjectText) || (extensions.dnsNames[0] ?? 'no name')),
    issuer: readCommonName(issuerText) ?? (oneLine(issuerText) || 'no name'),
    subjectText: oneLine(subjectText),
    issuerText: oneLine(issuerText),
    nameKey: nameKeyOf(extensions.subjectName),
    issuerKey: nameKeyOf(extensions.issuerName),
    commonName,
    names: extensions.dnsNames,
    notBefore,
    notAfter,
    key: readKey(x509, extensions.publicKeyInfo),
    signature: describeSignature(extensions.signatureAlgorithm),
    sha256: createHash('sha256').update(der).digest('hex'),
    bytes: der.length,
    isSelfIssued: nameKeyOf(extensions.subjectName) === nameKeyOf(extensions.issuerName),
  };
}

/** Whether one certificate bears the name and the signature of another. What the other may sign is not asked here. */
export function isIssuedBy(certificate: Certificate, issuer: Certificate): boolean {
  return certificate.issuerKey === issuer.nameKey && isSignedBy(certificate, issuer);
}

/** Whether one certificate was signed by the key of another. */
export function isSignedBy({ x509 }: Certificate, issuer: Certificate): boolean {
  try {
    const key = issuer.x509.publicKey;
    return !isCostly(key) && x509.verify(key);
  } catch {
    return false; // OpenSSL cannot read this key
  }
}

/** The public key of a certificate; null for one that OpenSSL cannot read, or that is made to be slow. */
export function keyOf({ x509 }: Certificate): KeyObject | null {
  try {
    return isCostly(x509.publicKey) ? null : x509.publicKey;
  } catch {
    return null;
  }
}

const modulusLimitBits = 8192;
/** Public CAs use 65,537 (CA/Browser Forum Baseline Requirements §6.1.6). */
const exponentLimit = 2n ** 32n;

/** True for RSA keys beyond all that CAs use. With an exponent as long as its modulus one signature takes 9 ms to check, and a search checks a hundred. */
function isCostly({
  asymmetricKeyDetails: { modulusLength = 0, publicExponent = 0n } = {},
}: KeyObject): boolean {
  return modulusLength > modulusLimitBits || publicExponent > exponentLimit;
}

/** RSA and DSA below 2048 bits, curves below 224: less than 112 bits of strength (NIST SP 800-57 part 1). */
export function isSmallKey({ type, bits }: CertificateKey): boolean {
  if (bits === null || bits === 0) return false;
  return type === 'EC' ? bits < 224 : bits < 2048;
}

function parseX509(der: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(der);
  } catch {
    return undefined; // OpenSSL refuses what our reader let pass
  }
}

const keyTypes = new Map([
  ['rsa', 'RSA'],
  ['rsa-pss', 'RSA-PSS'],
  ['ec', 'EC'],
  ['ed25519', 'Ed25519'],
  ['ed448', 'Ed448'],
  ['dsa', 'DSA'],
]);

/** Bits of the curves that OpenSSL names without them. */
const curveBits = new Map([
  ['prime256v1', 256],
  ['prime192v1', 192],
]);

function readKey(x509: X509Certificate, publicKeyInfo: Uint8Array): CertificateKey {
  try {
    const { asymmetricKeyType = 'unknown', asymmetricKeyDetails: details = {} } = x509.publicKey;
    // OpenSSL recognises a curve that is given by its numbers; browsers take names only (RFC 5480 §2.1.1).
    const curve = hasNamedParameters(publicKeyInfo) ? (details.namedCurve ?? null) : null;
    const bits =
      curve === null
        ? (details.modulusLength ?? null)
        : (curveBits.get(curve) ?? Number(/\d{3}/.exec(curve)?.[0] ?? 0));
    return { type: keyTypes.get(asymmetricKeyType) ?? asymmetricKeyType, bits, curve };
  } catch {
    return { type: 'unknown', bits: null, curve: null };
  }
}

function hasNamedParameters(publicKeyInfo: Uint8Array): boolean {
  const parsed = parseDer(publicKeyInfo);
  const parameters = derAt(derAt(isMalformed(parsed) ? undefined : parsed, 0), 1);
  return parameters?.tag === derTags.objectIdentifier;
}

/** The last CN of a subject as OpenSSL prints it, one attribute a line. */
function readCommonName(subject: string): string | null {
  const line = subject.split('\n').findLast((attribute) => attribute.startsWith('CN='));
  return line === undefined ? null : line.slice(3);
}

function oneLine(subject: string): string {
  return subject.replaceAll('\n', ', ');
}
