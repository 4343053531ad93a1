import { extensionIds } from './certificate-extensions.ts';
import { type DerNode, derAt, derChildren, parseDer, readObjectIdentifier, writeDer } from './der.ts';

/** The identifier byte of the extensions in a certificate's body. */
const extensionsTag = 0xa3;

/**
 * The body of a certificate as the logs signed it, before its timestamps were embedded (RFC 6962 §3.2): without that one extension,
 * and otherwise byte for byte the same.
 * @param certificate DER
 * @returns DER of the TBSCertificate; null for bytes that are no certificate
 */
export function writePrecertificateBody(certificate: Uint8Array): Uint8Array | null {
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
