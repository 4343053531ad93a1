import { once } from 'node:events';
import type { Response } from 'express';

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
