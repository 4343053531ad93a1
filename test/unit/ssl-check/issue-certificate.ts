import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { joinBytes } from '../../../worker/certificates/grammar/byte-cursor.ts';
import { extensionIds } from '../../../worker/certificates/grammar/certificate-extensions.ts';
import { der, integer, objectIdentifier, type Seal, sequence, text, time } from './write-der.ts';

/** A certificate of the test run itself, with everything that OpenSSL's own tools would not let be wrong. */
export type Issued = {
  readonly key: KeyObject;
  readonly der: Buffer;
  readonly base64: string;
  readonly certPem: string;
  readonly keyPem: string;
  readonly subject: string;
};

export type Hash = 'sha512' | 'sha384' | 'sha256' | 'sha1' | 'md5';
export type Signature = keyof typeof signatures;
/** Its value, or how it is made once everything else is there, as logs sign what will be issued. */
export type Extension = {
  readonly id: string;
  readonly value: Uint8Array | ((before: Before) => Uint8Array);
  readonly isCritical?: boolean;
};

/** The body of a certificate without the extensions that are made last, and the key of its issuer. */
export type Before = { readonly body: Uint8Array; readonly issuerKey: KeyObject };

export type Wishes = {
  readonly subject: string;
  /** null signs by itself. */
  readonly issuer: Issued | null;
  /** DNS entries, critical without a subject; none leaves subjectAltName out. */
  readonly names?: readonly string[];
  readonly notBefore?: string;
  readonly notAfter?: string;
  readonly key?: KeyObject;
  readonly isAuthority?: boolean;
  /** Hash of the signature. */
  readonly hash?: Hash;
  readonly extensions?: readonly Extension[];
  readonly serial?: readonly number[];
};

const signatures = {
  'ec-sha512': '1.2.840.10045.4.3.4',
  'ec-sha384': '1.2.840.10045.4.3.3',
  'ec-sha256': '1.2.840.10045.4.3.2',
  'ec-sha1': '1.2.840.10045.4.1',
  'rsa-sha256': '1.2.840.113549.1.1.11',
  'rsa-sha1': '1.2.840.113549.1.1.5',
  'rsa-md5': '1.2.840.113549.1.1.4',
  'ed25519-sha256': '1.3.101.112',
} as const;

/** Where the certificate of the issuer lies, as certificates of public CAs tell. */
export const issuerAt = {
  id: extensionIds.authorityAccess,
  value: sequence(sequence(objectIdentifier('1.3.6.1.5.5.7.48.2'), text(0x86, 'http://ca.test/issuer.der'))),
};

/** A new key: P-256 unless said otherwise. */
export function makeKey(
  kind: 'p256' | 'p256-by-numbers' | 'p384' | 'p224' | 'ed25519' | 'rsa1024' | 'rsa2048' | 'rsa4096' = 'p256',
): KeyObject {
  if (kind === 'p256') return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  if (kind === 'p256-by-numbers')
    return generateKeyPairSync('ec', { namedCurve: 'P-256', paramEncoding: 'explicit' }).privateKey;
  if (kind === 'p384') return generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
  if (kind === 'p224') return generateKeyPairSync('ec', { namedCurve: 'secp224r1' }).privateKey;
  if (kind === 'ed25519') return generateKeyPairSync('ed25519').privateKey;
  return generateKeyPairSync('rsa', { modulusLength: Number(kind.slice(3)) }).privateKey;
}

/** Issues what is wished for (RFC 5280 §4.1). */
export function issueCertificate(wishes: Wishes): Issued {
  const key = wishes.key ?? makeKey();
  const signer = wishes.issuer?.key ?? key;
  const hash = wishes.hash ?? 'sha256';
  const made = { ...wishes, serial: wishes.serial ?? nextSerial() };
  const write = (extensions: readonly Extension[]) =>
    bodyOf({ ...made, extensions }, key, algorithmOf(signer, hash));
  const all = wishes.extensions ?? [];
  const before = { body: write(all.filter(({ value }) => typeof value !== 'function')), issuerKey: signer };
  const body = write(
    all.map((one) => (typeof one.value === 'function' ? { ...one, value: one.value(before) } : one)),
  );
  const bytes = Buffer.from(sequence(body, ...sealWith(signer, hash)(body)));
  return {
    key,
    der: bytes,
    base64: bytes.toString('base64'),
    subject: wishes.subject,
    certPem: writePem(bytes),
    keyPem: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** A certificate as PEM (RFC 7468 §5). */
export function writePem(certificate: Uint8Array): string {
  const lines = Buffer.from(certificate)
    .toString('base64')
    .replaceAll(/(.{64})(?=.)/g, '$1\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

/** Signs with a key, and lays certificates beside it where some are given. */
export function sealWith(key: KeyObject, hash: Hash = 'sha256', ...beside: readonly Issued[]): Seal {
  return (signed) => {
    const signature = sign(key.asymmetricKeyType === 'ed25519' ? null : hash, signed, key);
    const certificates = beside.map((one) => one.der);
    return [
      algorithmOf(key, hash),
      der(0x03, joinBytes(0, signature)),
      ...(beside.length === 0 ? [] : [der(0xa0, sequence(...certificates))]),
    ];
  };
}

function bodyOf(wishes: Wishes, key: KeyObject, algorithm: Uint8Array): Uint8Array {
  const { subject, issuer, notBefore = '2026-10-01T00:00:00', notAfter = '2026-12-30T00:00:00' } = wishes;
  return sequence(
    der(0xa0, integer(2)),
    integer(...(wishes.serial ?? [])),
    algorithm,
    nameOf(issuer?.subject ?? subject),
    sequence(time(notBefore), time(notAfter)),
    nameOf(subject),
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    ...extensionsOf(wishes),
  );
}

function extensionsOf({ subject, names = [], isAuthority = false, extensions = [] }: Wishes): Uint8Array[] {
  const alternative = sequence(...names.map((name) => text(0x82, name)));
  const all: readonly Extension[] = [
    ...(isAuthority ? [{ id: extensionIds.basicConstraints, value: sequence(der(1, [0xff])) }] : []),
    ...(names.length === 0
      ? []
      : [{ id: extensionIds.subjectAltName, value: alternative, isCritical: subject === '' }]),
    ...extensions,
  ];
  const list = all.map(({ id, value, isCritical = false }) =>
    sequence(
      objectIdentifier(id),
      ...(isCritical ? [der(1, [0xff])] : []),
      der(0x04, value instanceof Uint8Array ? value : []),
    ),
  );
  return list.length === 0 ? [] : [der(0xa3, sequence(...list))];
}

let serial = 0x1000;
function nextSerial(): number[] {
  serial += 1;
  return [0x10, serial >> 8, serial & 0xff];
}

/** A Name of one common name; the empty Name for none. */
export function nameOf(commonName: string): Uint8Array {
  if (commonName === '') return sequence();
  return sequence(der(0x31, sequence(objectIdentifier('2.5.4.3'), text(0x0c, commonName))));
}

/** The AlgorithmIdentifier by which a key signs. */
export function algorithmOf(key: KeyObject, hash: Hash): Uint8Array {
  const kind = `${key.asymmetricKeyType}-${key.asymmetricKeyType === 'ed25519' ? 'sha256' : hash}`;
  const id = objectIdentifier(signatures[kind as Signature]);
  return kind.startsWith('rsa') ? sequence(id, der(0x05)) : sequence(id);
}
