import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Problem } from '#shared/model/problem';
import { ClientGone } from '../answer/client-gone.ts';

/** A body that was read whole. */
export type Body = {
  /** One of the types that were allowed. */
  readonly type: string;
  readonly text: string;
};

/** What a route takes. */
export type BodyWish = { readonly types: readonly string[]; readonly mostBytes: number };

/** Reads the bodies of requests, within what one process holds of them at once. */
export type Bodies = {
  /**
   * Reads a body. Call it last, when caller, scope, limits, Host and Origin have been judged. The server ends a request that takes longer than
   * 15 s. Throws the Problem of a type that is not taken, a coding, a body that is too long or is not UTF-8, and of too many at once.
   */
  read(request: IncomingMessage, wish: BodyWish): Promise<Body>;
};

/** Bytes of bodies that one process holds at once. */
const mostAtOnce = 64 * 1024 * 1024;
/** What comes beyond the limit is read and dropped, up to so many times the limit: an answer before the end of a body may be lost by a reset. */
const droppedTimes = 16;

/** Opens the reader of a process. @param mostBytes that it holds at once; production's where left out */
export function openBodies(mostBytes = mostAtOnce): Bodies {
  let held = 0;
  return {
    async read(request, wish) {
      const type = readType(request, wish.types);
      const pieces: Buffer[] = [];
      let length = 0;
      let kept = 0;
      try {
        for await (const piece of piecesOf(request)) {
          length += piece.length;
          if (length > droppedTimes * wish.mostBytes) break;
          if (length > wish.mostBytes) continue;
          held += piece.length;
          kept += piece.length;
          if (held > mostBytes) throw crowded();
          pieces.push(piece);
        }
        if (length > wish.mostBytes) throw tooLarge(wish.mostBytes);
        return { type, text: decode(Buffer.concat(pieces)) };
      } finally {
        held -= kept;
      }
    },
  };
}

/** What tells a request from another one with the same Idempotency-Key. */
export function digestOfRequest({ method = '', url = '' }: IncomingMessage, { type, text }: Body): string {
  return hash('sha256', JSON.stringify([method, url, type, text]), 'base64url');
}

/** The body in pieces. A caller that goes away before its end is no defect. */
async function* piecesOf(request: IncomingMessage): AsyncGenerator<Buffer, void, void> {
  try {
    yield* request as AsyncIterable<Buffer>;
  } catch (error) {
    if (request.errored || request.destroyed) throw new ClientGone();
    throw error;
  }
}

function readType({ headers }: IncomingMessage, types: readonly string[]): string {
  const list = types.join(', ');
  const refuse = (detail: string) =>
    new Problem('unsupported_media_type', detail, { headers: { Accept: list } });
  if (headers['content-encoding'] !== undefined) throw refuse('Send the body without a Content-Encoding.');
  const [named = '', ...parameters] = (headers['content-type'] ?? '').split(';').map((part) => part.trim());
  const type = types.find((one) => one === named.toLowerCase());
  if (type === undefined) throw refuse(`Send the body with one of these as its Content-Type: ${list}.`);
  const isUtf8 = parameters.every((one) => one === '' || /^charset="?utf-8"?$/i.test(one));
  if (!isUtf8) throw refuse('Send the body as UTF-8.');
  return type;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const detail = 'The body is not valid UTF-8.';
    throw new Problem('invalid_request', detail, {
      errors: [{ in: 'body', name: '', detail }],
      cause: error,
    });
  }
}

function tooLarge(mostBytes: number): Problem {
  return new Problem('body_too_large', `The body is larger than ${mostBytes} bytes. Send it in parts.`);
}

function crowded(): Problem {
  return new Problem('overloaded', 'Too many requests are being read at once. Send this one again.', {
    retryAfterS: 3,
  });
}
