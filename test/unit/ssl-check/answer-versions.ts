import {
  joinBytes,
  numberBytes,
  openCursor,
  vectorBytes,
} from '../../../worker/certificates/grammar/byte-cursor.ts';

/** What a server of QUIC answers to a packet of a version that it does not speak (RFC 9000 §17.2.1). */
export function answerVersions(packet: Uint8Array, versions: readonly number[]): Uint8Array {
  const cursor = openCursor(packet);
  cursor.bytes(5);
  const [destination, source] = [cursor.vector(1), cursor.vector(1)];
  const listed = versions.map((version) => numberBytes(version, 4));
  return joinBytes(0x8f, numberBytes(0, 4), vectorBytes(1, source), vectorBytes(1, destination), ...listed);
}
