import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import type { Caller } from '#shared/limits/caller';
import type { Quotas } from '#shared/limits/quotas';
import { Problem } from '#shared/model/problem';
import { type BodyBounds, bodyBounds, type BodyKind, isInPieces } from './body-bounds.ts';
import { type BodyHold, openBodyRoom, type RoomLimits, usualRoom } from './body-room.ts';
import { ClientGone } from './connections.ts';
import { openBodyCounter } from './count-body.ts';
import { faultAt, invalidBody } from './faults.ts';

/** A body that was read whole. */
export type Body = {
  /** One of the types that were allowed. */
  readonly type: string;
  readonly text: string;
};

/** The one origins for bodies: no other code reads one. */
export type Bodies = {
  /**
   * Reads a body of this kind within its bounds, which are counted while it comes in, and pays for its bytes. Call it last, when caller, scope,
   * limits, Host and Origin have been judged. Throws the Problem of a type that is not taken, a coding, a body that is too long, has too much in
   * it, comes too slowly or is not UTF-8, of too many at once, and 429.
   */
  read(asked: BodyRequest, kind: BodyKind): Promise<Body>;
};

/** A request with a body, and who sent it. */
export type BodyRequest = {
  readonly request: IncomingMessage;
  readonly response: Response;
  readonly caller: Caller;
};

/** Each so many bytes of a body cost a point of `writes`. */
const bytesOfPoint = 65_536;
const pointsOf = (bytes: number) => Math.floor(bytes / bytesOfPoint);

/** Opens the origins of a process. @param room what it holds at once; production's where left out */
export function openBodies(quotas: Pick<Quotas, 'takeWrites'>, room: RoomLimits = usualRoom): Bodies {
  const bodiesHeld = openBodyRoom(room);
  return {
    async read({ request, response, caller }, kind) {
      const bounds: BodyBounds = bodyBounds[kind];
      const type = readType(request, bounds.types);
      // One that says how long it is need not be read to be refused.
      const told = Number(request.headers['content-length'] ?? 0);
      if (told > bounds.bytes) throw tooLarge(bounds);
      await quotas.takeWrites(caller, pointsOf(told), response);
      const hold = bodiesHeld.open(caller);
      try {
        const bytes = await receive(request, hold, { bounds, type });
        const more = pointsOf(bytes.length) - pointsOf(told);
        if (more > 0) await quotas.takeWrites(caller, more, response);
        return { type, text: decode(bytes) };
      } finally {
        hold.leave();
      }
    },
  };
}

/** What tells a request from another one with the same Idempotency-Key. */
export function digestOfRequest({ method = '', url = '' }: IncomingMessage, { type, text }: Body): string {
  return hash('sha256', JSON.stringify([method, url, type, text]), 'base64url');
}

/** A body has so long for its beginning, and comes at this pace from then on: one of 2 MB takes 15 s at most. */
const pace = { beginMs: 5000, bytesPerS: 200_000, lookEveryMs: 500 } as const;

/** Room for the beginning of a body; it is doubled for more. */
const firstRoomBytes = 16_384;

type Wish = { readonly bounds: BodyBounds; readonly type: string };

/** Receives a body piece by piece, to its end or to the first fault. What comes behind a fault is left to whoever answers. */
function receive(request: IncomingMessage, hold: BodyHold, { bounds, type }: Wish): Promise<Buffer> {
  const count = openBodyCounter(type, bounds);
  const beganAt = performance.now();
  const received = openJoined(bounds, hold);
  return new Promise((resolve, reject) => {
    const stop = (error?: Error) => {
      clearInterval(timer);
      request.off('data', take).off('end', finish).off('error', leave).off('close', leave);
      // Nobody reads on: the answer comes first.
      request.pause();
      if (error) reject(error);
      else resolve(received.bytes());
    };
    const take = (piece: Buffer) => {
      try {
        if (received.length() + piece.length > bounds.bytes) throw tooLarge(bounds);
        const fault = count(piece);
        if (fault) throw invalidBody([fault]);
        received.add(piece);
      } catch (error) {
        stop(error as Error);
      }
    };
    const finish = () => stop();
    const leave = () => stop(new ClientGone());
    const look = () => {
      const lateMs = performance.now() - beganAt - pace.beginMs;
      if (lateMs > 0 && received.length() < (lateMs / 1000) * pace.bytesPerS) stop(tooSlow());
    };
    const timer = setInterval(look, pace.lookEveryMs).unref();
    // What came while its price was asked for is read as one piece.
    const early = request.read() as Buffer | null;
    request.on('data', take).on('end', finish).on('error', leave).on('close', leave);
    if (early) take(early);
    if (request.destroyed) leave();
  });
}

/**
 * Joins pieces as they come: each that is kept as it is takes 200 bytes beside its own, and a body may have 50,000 of one byte. Adding throws the
 * Problem of too many.
 */
function openJoined(bounds: BodyBounds, hold: BodyHold) {
  let room = Buffer.allocUnsafe(0);
  let [length, pieces] = [0, 0];
  return {
    length: () => length,
    bytes: () => room.subarray(0, length),
    add(piece: Buffer) {
      const end = length + piece.length;
      if (end > room.length) {
        const wanted = Math.min(bounds.bytes, Math.max(2 * room.length, firstRoomBytes));
        const more = Buffer.allocUnsafe(Math.max(end, wanted));
        hold.hold(more.length - room.length);
        room.copy(more, 0, 0, length);
        room = more;
      }
      piece.copy(room, length);
      length = end;
      pieces += 1;
      if (isInPieces(pieces, length)) throw tooManyPieces();
    },
  };
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
    throw new Problem('invalid_request', detail, { errors: [faultAt([], detail)], cause: error });
  }
}

function tooLarge({ bytes }: BodyBounds): Problem {
  const detail = `The body is larger than ${bytes} bytes. Send it in parts.`;
  return new Problem('body_too_large', detail, { errors: [faultAt([], detail)] });
}

function tooManyPieces(): Problem {
  return invalidBody([faultAt([], 'The body came in too many small pieces. Send larger chunks.')]);
}

function tooSlow(): Problem {
  return invalidBody([faultAt([], 'The body came too slowly. Send it again, whole.')]);
}
