import { createHash, type KeyObject, verify } from 'node:crypto';
import type { Certificate } from './certificate.ts';
import { joinBytes, numberBytes, vectorBytes } from './grammar/byte-cursor.ts';
import { extensionIds } from './grammar/certificate-extensions.ts';
import { derAt, derChildren, type DerNode, parseDer, readObjectIdentifier, writeDer } from './grammar/der.ts';
import type { SignedTimestamp } from './grammar/signed-timestamps.ts';

/** ECDSA with SHA-256, by which every log in use signs (RFC 6962 §2.1.4). */
const ecdsaWithSha256 = 0x0403;

/** What a log signs of a certificate, but for its own time: a LogEntryType and what follows it (RFC 6962 §3.2). */
export type LogEntry = Uint8Array;

/** The entry that timestamps inside a certificate are about; null where it cannot be read. @param issuer the certificate whose key signed it */
export function writePrecertificateEntry(leaf: Certificate, issuer: Certificate): LogEntry | null {
  const body = writePrecertificateBody(leaf.x509.raw);
  if (body === null) return null;
  const issuerKeyHash = createHash('sha256').update(issuer.extensions.publicKeyInfo).digest();
  return joinBytes(numberBytes(1, 2), issuerKeyHash, vectorBytes(3, body));
}

/** The entry that timestamps beside a certificate are about: those in a TLS extension or an OCSP answer. */
export function writeCertificateEntry(leaf: Certificate): LogEntry {
  return joinBytes(numberBytes(0, 2), vectorBytes(3, leaf.x509.raw));
}

/** Whether a log signed this timestamp about this entry. @param key the public key of the log, P-256 */
export function isSignedByLog(timestamp: SignedTimestamp, entry: LogEntry, key: KeyObject): boolean {
  const { at, extensions, algorithm, signature } = timestamp;
  if (algorithm !== ecdsaWithSha256) return false;
  const time = joinBytes(numberBytes(Math.floor(at / 2 ** 32), 4), numberBytes(at % 2 ** 32, 4));
  // Version 1, and a signature of the type certificate_timestamp.
  const signed = joinBytes(0, 0, time, entry, vectorBytes(2, extensions));
  return verify('sha256', signed, key, signature);
}

/** The identifier byte of the extensions in a certificate's body. */
const extensionsTag = 0xa3;

/**
 * The body of a certificate as the logs signed it, before its timestamps were embedded (RFC 6962 §3.2): without that one extension,
 * and otherwise byte for byte the same.
 * @param certificate DER
 * @returns DER of the TBSCertificate; null for bytes that are no certificate
 */
function writePrecertificateBody(certificate: Uint8Array): Uint8Array | null {
  const node = parseDer(certificate);
  const body = node.kind === 'malformed' ? undefined : derAt(node, 0);
  const fields = body === undefined ? [] : derChildren(body);
  if (body === undefined || fields.length === 0) return null;
  return writeDer(body.tag, ...fields.flatMap(withoutTimestamps));
}

/** A body has no empty list of extensions (RFC 5280 §4.1). */
function withoutTimestamps(field: DerNode): readonly Uint8Array[] {
  const list = field.tag === extensionsTag ? derAt(field, 0) : undefined;
  if (list === undefined) return [field.whole];
  const kept = derChildren(list).filter(
    (one) => readObjectIdentifier(derAt(one, 0)) !== extensionIds.timestamps,
  );
  return kept.length === 0
    ? []
    : [writeDer(field.tag, writeDer(list.tag, ...kept.map(({ whole }) => whole)))];
}
