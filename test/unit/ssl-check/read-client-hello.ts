import { openCursor } from '../../../worker/certificates/grammar/byte-cursor.ts';

export type ReadHello = {
  /** On the wire, of supported_versions if there is one. */
  version: number;
  /** All that are offered, best first, without those that mean nothing. */
  versions: number[];
  suites: number[];
  groups: number[];
  /** Groups that it brings keys for. */
  keyGroups: number[];
  sessionId: Uint8Array;
  servername: string | null;
  alpn: string[];
  compressions: number[];
  extensions: number[];
  bytes: number;
};

/** Reads one ClientHello record whole; null when it is none, or when a single length is wrong. */
export function readClientHello(record: Uint8Array): ReadHello | null {
  const outer = openCursor(record);
  if (outer.number(1) !== 22) return null;
  outer.number(2);
  const message = openCursor(outer.vector(2));
  if (outer.left() > 0 || message.number(1) !== 1) return null;
  const body = openCursor(message.vector(3));
  const version = body.number(2);
  body.bytes(32);
  const sessionId = body.vector(1);
  const hello: ReadHello = {
    version,
    versions: [0x0303, 0x0302, 0x0301, 0x0300].filter((one) => one === version),
    suites: pairs(body.vector(2)),
    groups: [],
    keyGroups: [],
    sessionId,
    servername: null,
    alpn: [],
    compressions: [...body.vector(1)],
    extensions: [],
    bytes: record.length,
  };
  const list = openCursor(body.left() > 0 ? body.vector(2) : new Uint8Array(0));
  while (list.left() > 0) {
    const type = list.number(2);
    hello.extensions.push(type);
    readExtension(hello, type, list.vector(2));
  }
  const isWhole = [outer, message, body, list].every(
    (cursor) => cursor.failedAt() === null && cursor.left() === 0,
  );
  return isWhole ? hello : null;
}

function readExtension(hello: ReadHello, type: number, content: Uint8Array): void {
  const cursor = openCursor(content);
  if (type === 0) {
    const name = openCursor(cursor.vector(2));
    name.number(1);
    hello.servername = Buffer.from(name.vector(2)).toString('latin1');
  }
  if (type === 10) hello.groups = pairs(cursor.vector(2));
  if (type === 51) {
    const list = openCursor(cursor.vector(2));
    while (list.left() > 0) {
      hello.keyGroups.push(list.number(2));
      list.vector(2);
    }
  }
  if (type === 16) {
    const list = openCursor(cursor.vector(2));
    while (list.left() > 0) hello.alpn.push(Buffer.from(list.vector(1)).toString('latin1'));
  }
  if (type === 43) {
    hello.versions = pairs(cursor.vector(1)).filter((one) => one >> 8 === 3);
    hello.version = hello.versions[0] ?? 0;
  }
}

function pairs(bytes: Uint8Array): number[] {
  return Array.from(
    { length: bytes.length / 2 },
    (_, index) => (bytes[2 * index] ?? 0) * 256 + (bytes[2 * index + 1] ?? 0),
  );
}
