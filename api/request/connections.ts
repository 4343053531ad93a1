import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import { hasBody } from '#shared/lifecycle/connections';

/** A signal that aborts with ClientGone when the caller closes its connection: it stops waiting, and its job goes on for the next one. */
export function abortedByClose(response: Response): AbortSignal {
  const controller = new AbortController();
  const leave = () => {
    if (!response.writableEnded) controller.abort(new ClientGone());
  };
  if (response.closed) leave();
  else response.once('close', leave);
  return controller.signal;
}

/** The caller closed its connection, so no answer can be sent. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** Longest that a reader of a stream may take nothing. */
const stallMs = 60_000;

/** Waits until a slow reader has taken what was written. False where it took nothing for too long, or has gone. */
export async function drains(response: Response): Promise<boolean> {
  if (response.closed) return false;
  const ended = new AbortController();
  const leave = () => ended.abort();
  const late = setTimeout(leave, stallMs);
  response.once('close', leave);
  try {
    await once(response, 'drain', { signal: ended.signal });
    return true;
  } catch {
    return false; // a reader that stalls: told by the connection that breaks off
  } finally {
    clearTimeout(late);
    response.off('close', leave);
  }
}

/** Limits, in time, bytes and pieces, for discarding the rest of an unread body. */
const rest = { ms: 2000, bytes: 8 * 1024 * 1024, pieces: 20_000 } as const;

/** What an answer is ended by; without `write` it is one of those that answer requests without a body. */
type Ending = { end(text?: string): unknown; readonly write?: (text: string) => unknown };

/**
 * Ends an answer with a Content-Length. Where the body of its request is still on its way, all of the answer goes out at once, and the connection
 * stays open until its sender has noticed: one that is closed under a sender is reset, and an answer that was not read by then is lost.
 * @param text all of its content
 */
export function endAnswer(request: IncomingMessage, response: Ending, text: string): void {
  const isUnread = hasBody(request.headers) && !request.complete;
  if (!isUnread || !response.write) return void response.end(text);
  response.write(text);
  let [dropped, pieces] = [0, 0];
  const end = () => {
    clearTimeout(timer);
    request.off('data', drop).off('end', end).off('close', end);
    response.end();
  };
  const drop = (piece: Buffer) => {
    dropped += piece.length;
    pieces += 1;
    if (dropped > rest.bytes || pieces > rest.pieces) end();
  };
  const timer = setTimeout(end, rest.ms).unref();
  request.on('data', drop).once('end', end).once('close', end);
}
