import { joinBytes, numberBytes, vectorBytes } from '../../../worker/certificates/grammar/byte-cursor.ts';

export type WrittenFlight = {
  version: number;
  suite: number;
  random?: Uint8Array;
  sessionId?: Uint8Array;
  compression?: number;
  extensions?: { type: number; content: Uint8Array }[] | null;
  certificates?: Uint8Array[];
  ocspResponse?: Uint8Array;
  /** Named curve of a ServerKeyExchange. */
  group?: number;
  /** Prime of a ServerKeyExchange. */
  prime?: Uint8Array;
  /** Signature scheme of a ServerKeyExchange. */
  scheme?: number;
  certificateRequested?: boolean;
  done?: boolean;
};

export const message = (type: number, ...parts: (number | Uint8Array)[]) =>
  joinBytes(type, vectorBytes(3, ...parts));
export const record = (type: number, content: Uint8Array, version = 0x0303) =>
  joinBytes(type, numberBytes(version, 2), vectorBytes(2, content));
export const alertRecord = (level: number, description: number, version = 0x0303) =>
  record(21, Uint8Array.of(level, description), version);
export const extension = (type: number, ...parts: (number | Uint8Array | number[])[]) => ({
  type,
  content: joinBytes(...parts),
});

/** A server's flight as one record a message, as far as it is given. */
export function writeServerFlight(flight: WrittenFlight): Uint8Array {
  const extensions = flight.extensions ?? [];
  const hello = message(
    2,
    numberBytes(Math.min(flight.version, 0x0303), 2),
    flight.random ?? new Uint8Array(32),
    vectorBytes(1, flight.sessionId ?? []),
    numberBytes(flight.suite, 2),
    flight.compression ?? 0,
    flight.extensions === null
      ? new Uint8Array(0)
      : vectorBytes(
          2,
          ...extensions.map(({ type, content }) => joinBytes(numberBytes(type, 2), vectorBytes(2, content))),
        ),
  );
  const { certificates, ocspResponse, group, prime } = flight;
  const signature =
    flight.scheme === undefined ? [] : [numberBytes(flight.scheme, 2), vectorBytes(2, [1, 2, 3])];
  const messages = [
    hello,
    ...(certificates
      ? [message(11, vectorBytes(3, ...certificates.map((bytes) => vectorBytes(3, bytes))))]
      : []),
    ...(ocspResponse ? [message(22, 1, vectorBytes(3, ocspResponse))] : []),
    ...(group === undefined
      ? []
      : [message(12, 3, numberBytes(group, 2), vectorBytes(1, [4, 1, 2]), ...signature)]),
    ...(prime
      ? [message(12, vectorBytes(2, prime), vectorBytes(2, [2]), vectorBytes(2, [3]), ...signature)]
      : []),
    ...(flight.certificateRequested ? [message(13, 1, 1, 0, 0)] : []),
    ...(flight.done ? [message(14)] : []),
  ];
  const version = Math.min(flight.version, 0x0303);
  return joinBytes(...messages.flatMap((bytes) => inRecords(bytes).map((part) => record(22, part, version))));
}

/** A record has 16,384 bytes at most (RFC 8446 §5.1). */
function inRecords(bytes: Uint8Array): readonly Uint8Array[] {
  const size = 16_384;
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}
