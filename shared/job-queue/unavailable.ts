import { Problem } from '../model/problem.ts';

/** The Problem of a queue that cannot be reached, or that no worker serves. */
export function queueUnavailable(cause?: unknown): Problem {
  return new Problem(
    'queue_unavailable',
    'No check can be started just now; cached reports stay readable. Ask again in a few seconds.',
    { retryAfterS: 5, cause },
  );
}
