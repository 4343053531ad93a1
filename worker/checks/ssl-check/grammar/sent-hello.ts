import { type ByteCursor, openCursor } from '../../../certificates/grammar/byte-cursor.ts';

/** What a ClientHello offers, as its bytes say. */
export type SentHello = {
  readonly sessionId: Uint8Array;
  readonly suites: readonly number[];
  readonly compressions: readonly number[];
  /** Types of its extensions. */
  readonly extensions: readonly number[];
  /** null where the hello does not say: then any is offered. */
  readonly groups: readonly number[] | null;
  readonly signatures: readonly number[] | null;
  readonly alpn: readonly string[];
  /** Groups that it brings keys for. */
  readonly keyGroups: readonly number[];
};

type Draft = { -readonly [K in keyof SentHello]: SentHello[K] };

/** Reads a record with a ClientHello of our own (RFC 8446 §4.1.2). Values that mean nothing (RFC 8701) are left out: no server may choose them. */
export function readSentHello(record: Uint8Array): SentHello {
  const body = openCursor(record);
  body.bytes(5 + 4 + 2 + 32); // heads of record and message, version, random
  const hello: Draft = {
    sessionId: body.vector(1),
    suites: readWords(openCursor(body.vector(2))),
    compressions: [...body.vector(1)],
    extensions: [],
    groups: null,
    signatures: null,
    alpn: [],
    keyGroups: [],
  };
  const list = openCursor(body.left() > 0 ? body.vector(2) : new Uint8Array(0));
  while (list.left() > 0) {
    const type = list.number(2);
    if (!isGrease(type)) hello.extensions = [...hello.extensions, type];
    readExtension(hello, type, openCursor(list.vector(2)));
  }
  return hello;
}

function readExtension(hello: Draft, type: number, content: ByteCursor): void {
  switch (type) {
    case 10:
      hello.groups = readWords(openCursor(content.vector(2)));
      return;
    case 13:
      hello.signatures = readWords(openCursor(content.vector(2)));
      return;
    case 16:
      hello.alpn = readEach(openCursor(content.vector(2)), (list) =>
        Buffer.from(list.vector(1)).toString('latin1'),
      );
      return;
    case 51:
      hello.keyGroups = readEach(openCursor(content.vector(2)), (list) => {
        const group = list.number(2);
        list.vector(2); // its key
        return group;
      });
      return;
    default:
  }
}

function readEach<T>(list: ByteCursor, read: (list: ByteCursor) => T): readonly T[] {
  const found: T[] = [];
  while (list.left() > 0) found.push(read(list));
  return found;
}

function readWords(list: ByteCursor): readonly number[] {
  return readEach(list, (words) => words.number(2)).filter((word) => !isGrease(word));
}

function isGrease(word: number): boolean {
  return (word & 0x0f0f) === 0x0a0a && word >> 8 === (word & 255);
}
