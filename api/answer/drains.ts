import { once } from 'node:events';
import type { Response } from 'express';
import { abortedByClose } from './client-gone.ts';

/** Longest that a reader of a stream may take nothing. */
const stallMs = 60_000;

/** Waits until a slow reader has taken what was written. False where it took nothing for too long, or has gone. */
export async function drains(response: Response): Promise<boolean> {
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(stallMs), abortedByClose(response)]);
    await once(response, 'drain', { signal });
    return true;
  } catch {
    return false; // a reader that stalls: told by the connection that breaks off
  }
}
