import { algorithmOf, type Issued, nameOf, sealWith } from './issue-certificate.ts';
import { der, integer, objectIdentifier, type Seal, sequence, text, time } from './write-der.ts';

export type ListWishes = {
  readonly issuer: Issued;
  readonly entries?: readonly Uint8Array[];
  readonly thisUpdate?: string;
  /** null leaves it out. */
  readonly nextUpdate?: string | null;
  readonly extensions?: readonly Uint8Array[];
  /** The name in it, where it is not the issuer's. */
  readonly name?: string;
  readonly seal?: Seal;
};

/** A CertificateList (RFC 5280 §5.1), signed by its issuer. */
export function writeRevocationList({
  issuer,
  entries = [],
  thisUpdate = '2026-11-20T00:00:00',
  nextUpdate = '2026-11-27T00:00:00',
  extensions = [],
  name = issuer.subject,
  seal = sealWith(issuer.key),
}: ListWishes): Uint8Array {
  const signed = sequence(
    integer(1),
    algorithmOf(issuer.key, 'sha256'),
    nameOf(name),
    time(thisUpdate),
    ...(nextUpdate === null ? [] : [time(nextUpdate)]),
    ...(entries.length === 0 ? [] : [sequence(...entries)]),
    ...(extensions.length === 0 ? [] : [der(0xa0, sequence(...extensions))]),
  );
  return sequence(signed, ...seal(signed));
}

/** One revoked certificate; reasons by their number. */
export function writeEntry(
  serial: readonly number[],
  revokedAt = '2026-11-01T00:00:00',
  reason?: number,
): Uint8Array {
  const told = reason === undefined ? [] : [sequence(writeExtension('2.5.29.21', der(0x0a, [reason])))];
  return sequence(integer(...serial), time(revokedAt), ...told);
}

/** An extension, critical or not. */
export function writeExtension(id: string, value: Uint8Array, isCritical = false): Uint8Array {
  return sequence(objectIdentifier(id), ...(isCritical ? [der(0x01, [0xff])] : []), der(0x04, value));
}

/** An issuing distribution point: its parts by their tags (RFC 5280 §5.2.5). */
export const issuingPoint = (...parts: Uint8Array[]) => writeExtension('2.5.29.28', sequence(...parts), true);
/** The name of a distribution point by addresses. */
export const pointName = (...urls: string[]) => der(0xa0, der(0xa0, ...urls.map((url) => text(0x86, url))));
