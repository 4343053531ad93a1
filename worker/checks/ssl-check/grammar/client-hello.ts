import { joinBytes, numberBytes, vectorBytes } from '../../../certificates/grammar/byte-cursor.ts';
import type { KeyShare } from './key-shares.ts';
import { type VersionName, versionNumbers } from './tls-names.ts';

/** One ClientHello: exactly what it offers. */
export type ClientHello = {
  /** The one version that is offered, or the best of several. */
  readonly version: Exclude<VersionName, 'SSLv2'>;
  /** All that are offered, where they are several; older ones follow from the number in the hello (RFC 5246 §E.1). */
  readonly versions?: readonly VersionName[];
  /** Algorithms for signatures; all that a server could want where left out. */
  readonly signatures?: readonly number[];
  /** Values that mean nothing stand among suites, groups, versions and extensions (RFC 8701). */
  readonly greases?: boolean;
  /** SNI; null sends none. */
  readonly servername: string | null;
  readonly suites: readonly number[];
  readonly groups: readonly number[];
  readonly alpn: readonly string[];
  /** TLS 1.3: keys for some of the groups; none where a HelloRetryRequest is wanted. */
  readonly keyShares?: readonly KeyShare[];
  /** TLS 1.3: algorithms in which certificates may come compressed (RFC 8879 §3). */
  readonly certificateCompressions?: readonly number[];
  /** Also offers DEFLATE, which TLS 1.3 has no more. */
  readonly compression: boolean;
  /** 32 bytes. */
  readonly random: Uint8Array;
};

/** Signature schemes of RFC 8446 §4.2.3, then the old ones down to SHA-1 and MD5 with RSA: a server must not fail for want of one. */
const signatureSchemes = [
  0x0403, 0x0503, 0x0603, 0x0807, 0x0808, 0x0804, 0x0805, 0x0806, 0x0809, 0x080a, 0x080b, 0x0401, 0x0501,
  0x0601, 0x0303, 0x0301, 0x0402, 0x0302, 0x0203, 0x0201, 0x0202, 0x0101,
];

/** Signalling suite for "I know secure renegotiation" (RFC 5746 §3.3), for hellos that carry no extensions. */
const renegotiationScsv = 0x00ff;

/** Numbers of two bytes each. */
function words(values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(2 * values.length);
  for (const [index, value] of values.entries()) {
    bytes[2 * index] = value >>> 8;
    bytes[2 * index + 1] = value;
  }
  return bytes;
}

/**
 * Writes a ClientHello in one record (RFC 5246 §7.4.1.2, RFC 8446 §4.1.2, RFC 6101 §5.6.1.2).
 * Without keys TLS 1.3 carries an empty key_share: a willing server answers with a HelloRetryRequest that names its choice of group (RFC 8446 §4.2.8).
 */
export function writeClientHello(hello: ClientHello): Uint8Array {
  const { version, random, compression } = hello;
  const isSsl3 = version === 'SSLv3';
  const isTls13 = version === 'TLSv1.3';
  const suites = [...greaseOf(hello, 0), ...hello.suites, ...(isSsl3 ? [renegotiationScsv] : [])];
  const body = joinBytes(
    numberBytes(isTls13 ? versionNumbers['TLSv1.2'] : versionNumbers[version], 2),
    random,
    // A session id in TLS 1.3 too: some middleboxes want one (RFC 8446 §D.4).
    vectorBytes(1, isTls13 ? random : []),
    vectorBytes(2, words(suites)),
    vectorBytes(1, compression && !isTls13 ? [1, 0] : [0]),
    isSsl3 ? [] : vectorBytes(2, ...extensionsOf(hello)),
  );
  const message = joinBytes(1, vectorBytes(3, body));
  const recordVersion = isSsl3 ? versionNumbers.SSLv3 : versionNumbers.TLSv1;
  return joinBytes(22, numberBytes(recordVersion, 2), vectorBytes(2, message));
}

function extension(type: number, ...content: (Uint8Array | readonly number[])[]): Uint8Array {
  return joinBytes(numberBytes(type, 2), vectorBytes(2, ...content));
}

/** Values that servers have to pass over, one for each place where one stands. */
const greaseValues = [0x0a0a, 0x1a1a, 0x2a2a, 0x3a3a];

function greaseOf({ greases = false }: ClientHello, place: number): readonly number[] {
  return greases ? greaseValues.slice(place, place + 1) : [];
}

function extensionsOf(hello: ClientHello): Uint8Array[] {
  const { version, servername, alpn, versions = [version], signatures = signatureSchemes } = hello;
  const encoder = new TextEncoder();
  const name = servername === null ? [] : encoder.encode(servername);
  const protocols = alpn.map((protocol) => vectorBytes(1, encoder.encode(protocol)));
  const isTls13 = version === 'TLSv1.3';
  const isTls12 = version === 'TLSv1.2';
  const isOlder = versions.some((one) => one !== 'TLSv1.3');
  return [
    ...greaseOf(hello, 3).map((type) => extension(type)),
    ...(servername === null ? [] : [extension(0, vectorBytes(2, 0, vectorBytes(2, name)))]),
    extension(5, [1, 0, 0, 0, 0]), // status_request: OCSP, no responder and no extensions named
    ...groupsOf(hello),
    ...(isOlder ? [extension(11, [1, 0])] : []), // ec_point_formats: uncompressed
    ...(isTls12 || isTls13 ? [extension(13, vectorBytes(2, words(signatures)))] : []),
    ...(protocols.length === 0 ? [] : [extension(16, vectorBytes(2, ...protocols))]),
    extension(18), // signed_certificate_timestamp
    ...(isOlder ? [extension(23), extension(35), extension(0xff01, [0])] : []), // extended master secret, tickets, renegotiation_info
    ...(isTls13 ? extensionsOfTls13(hello) : []),
  ];
}

function groupsOf(hello: ClientHello): Uint8Array[] {
  const groups = [...greaseOf(hello, 1), ...hello.groups];
  return hello.groups.length === 0 ? [] : [extension(10, vectorBytes(2, words(groups)))];
}

function extensionsOfTls13(hello: ClientHello): Uint8Array[] {
  const { version, versions = [version], keyShares = [], certificateCompressions = [] } = hello;
  const compressions = vectorBytes(1, words(certificateCompressions));
  const numbers = versions.map((one) => versionNumbers[one]).toSorted((a, b) => b - a);
  return [
    extension(43, vectorBytes(1, words([...greaseOf(hello, 2), ...numbers]))),
    extension(45, [1, 1]), // psk_key_exchange_modes: with (EC)DHE
    extension(51, vectorBytes(2, ...keyShares.map(writeShare))),
    ...(certificateCompressions.length === 0 ? [] : [extension(27, compressions)]),
  ];
}

function writeShare({ group, publicKey }: KeyShare): Uint8Array {
  return joinBytes(numberBytes(group, 2), vectorBytes(2, publicKey));
}
