import { openCursor } from '../../certificates/grammar/byte-cursor.ts';

/** A handshake message (RFC 8446 §4). */
export type HandshakeMessage = {
  readonly type: number;
  /** As its head names it. */
  readonly length: number;
  /** null for a message that is longer than is read. */
  readonly body: Uint8Array | null;
};

/** Joins the contents of handshake records to messages; a byte is copied once. */
export type MessageReader = {
  /** Takes the next bytes, and gives the messages that end in them. One that is too long is given at once, and nothing after it. */
  readonly add: (content: Uint8Array) => readonly HandshakeMessage[];
};

/** Type and length before each message. */
const headBytes = 4;

/** Opens a reader of messages of up to so many bytes. */
export function openMessageReader(limitBytes: number): MessageReader {
  const head = new Uint8Array(headBytes);
  let headFilled = 0;
  let body = new Uint8Array(0);
  let bodyFilled = 0;
  let isOver = false;

  const takeHead = (content: Uint8Array): number => {
    const part = content.subarray(0, headBytes - headFilled);
    head.set(part, headFilled);
    headFilled += part.length;
    return part.length;
  };
  const takeBody = (content: Uint8Array): number => {
    const part = content.subarray(0, body.length - bodyFilled);
    body.set(part, bodyFilled);
    bodyFilled += part.length;
    return part.length;
  };
  /** The message, once its last byte is there. */
  const finish = (): HandshakeMessage | null => {
    const { type, length } = readHead(head);
    if (length > limitBytes) {
      isOver = true;
      return { type, length, body: null };
    }
    if (body.length !== length) body = new Uint8Array(length);
    if (bodyFilled < length) return null;
    const message = { type, length, body };
    headFilled = 0;
    body = new Uint8Array(0);
    bodyFilled = 0;
    return message;
  };
  return {
    add(content) {
      const messages: HandshakeMessage[] = [];
      for (let at = 0; at < content.length && !isOver;) {
        const rest = content.subarray(at);
        at += headFilled < headBytes ? takeHead(rest) : takeBody(rest);
        const message = headFilled < headBytes ? null : finish();
        if (message !== null) messages.push(message);
      }
      return messages;
    },
  };
}

function readHead(head: Uint8Array): { type: number; length: number } {
  const cursor = openCursor(head);
  return { type: cursor.number(1), length: cursor.number(3) };
}
