import { Problem } from '../model/problem.ts';

/** The Problem of a queue that cannot be reached, or that no worker serves. */
export function queueUnavailable(cause?: unknown): Problem {
  return new Problem(
    'queue_unavailable',
    'No check can be started just now; cached reports stay readable. Ask again in a few seconds.',
    { retryAfterS: 5, cause },
  );
}

/** The Problem of a queue that no worker serves. @param fix what must be done, where a worker has told why */
export function unserved(fix: string | undefined): Problem {
  if (fix === undefined) return queueUnavailable();
  return new Problem('browser_unavailable', `No worker has a browser that works. ${fix}`, {
    retryAfterS: 60,
  });
}
