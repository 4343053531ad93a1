import {
  joinBytes,
  numberBytes,
  openCursor,
  toHex,
  vectorBytes,
} from '../../../certificates/grammar/byte-cursor.ts';
import { type Malformed, malformed } from '../../../certificates/grammar/malformed.ts';

/** The connection ids of one packet: that of the server, which the client makes up, and its own. 8 to 20 bytes each. */
export type ConnectionIds = { readonly destination: Uint8Array; readonly source: Uint8Array };

/** The size below which servers must not answer (RFC 9000 §14.1): the answer is never larger than the question. */
const leastDatagramBytes = 1200;

/** A long header (RFC 8999 §5.1): the two highest bits are set, the others are of no version. */
const longHeader = 0xc0;

/** A version that no server has, of the form that is kept for this purpose (RFC 9000 §15). */
const reservedVersion = 0x1a2a3a4a;

/** Writes a datagram that every server of QUIC must answer with the versions it speaks, whichever they are (RFC 9000 §6.1). It opens no connection. */
export function writeVersionQuestion({ destination, source }: ConnectionIds): Uint8Array {
  const header = joinBytes(
    longHeader,
    numberBytes(reservedVersion, 4),
    vectorBytes(1, destination),
    vectorBytes(1, source),
  );
  return joinBytes(header, new Uint8Array(leastDatagramBytes - header.length));
}

export type VersionNegotiation = { readonly kind: 'versions'; readonly versions: readonly number[] };

/** More than any server has. */
const versionsKept = 32;

/**
 * Reads the answer (RFC 9000 §17.2.1). One that does not repeat both connection ids the other way round is no answer to our question.
 * @param asked the ids of the question
 */
export function parseVersionNegotiation(
  bytes: Uint8Array,
  asked: ConnectionIds,
): VersionNegotiation | Malformed {
  const cursor = openCursor(bytes);
  const first = cursor.number(1);
  const version = cursor.number(4);
  const destination = cursor.vector(1);
  const source = cursor.vector(1);
  const count = cursor.left() / 4;
  if (cursor.failedAt() !== null || first < 0x80 || version !== 0)
    return malformed('no version negotiation', 0);
  if (toHex(destination) !== toHex(asked.source) || toHex(source) !== toHex(asked.destination))
    return malformed('connection ids of another question', 5);
  if (count === 0 || !Number.isInteger(count))
    return malformed('a list of versions of odd length', cursor.at());
  const kept = Math.min(count, versionsKept);
  return { kind: 'versions', versions: Array.from({ length: kept }, () => cursor.number(4)) };
}

/** Versions of QUIC that browsers speak HTTP/3 in (RFC 9000, RFC 9369), by number. */
const browserVersions = new Map([
  [0x00000001, 'QUIC v1'],
  [0x6b3343cf, 'QUIC v2'],
]);

/** Whether browsers speak one of these versions. */
export function hasBrowserVersion(versions: readonly number[]): boolean {
  return versions.some((version) => browserVersions.has(version));
}

/** The name of a version, a draft's number, or eight hex digits; null for the reserved ones that servers mix in (RFC 9000 §15). */
export function versionName(version: number): string | null {
  const hex = version.toString(16).padStart(8, '0');
  if (/^(?:.a){4}$/.test(hex)) return null;
  if (hex.startsWith('ff0000')) return `draft ${version & 0xff}`;
  return browserVersions.get(version) ?? `0x${hex}`;
}
