import type { Job, QueueName } from '../model/job.ts';
import { limitsByLevel } from '../model/levels.ts';
import { Problem } from '../model/problem.ts';

/** The Problem of a queue that cannot be reached. */
export function queueUnavailable(cause?: unknown): Problem {
  return new Problem(
    'queue_unavailable',
    'No check can be started just now; cached reports stay readable. Ask again in a few seconds.',
    { retryAfterS: 5, cause },
  );
}

const again = 'cached reports stay readable. Ask again in a few seconds.';
const unservedDetails = {
  network: `No worker that checks DNS, TLS, headers and redirects is running; ${again}`,
  composite: `No worker that puts domain-health together is running; ${again}`,
} as const;

/** The Problem of a queue that no worker serves. @param fix what must be done, where a worker has told why */
export function unserved(fix: string | undefined, queue: QueueName): Problem {
  if (fix !== undefined)
    return new Problem('browser_unavailable', `No worker has a browser that works. ${fix}`, {
      retryAfterS: 60,
    });
  if (queue === 'browser')
    return new Problem(
      'browser_unavailable',
      'No worker that loads pages is running: pagespeed-check cannot start, all other checks start as usual. Ask again in a minute. The operator starts a worker whose WORKER_QUEUES has "browser".',
      { retryAfterS: 60 },
    );
  return new Problem('queue_unavailable', unservedDetails[queue], { retryAfterS: 5 });
}

/** Page loads that one caller without a token may have unfinished, those inside domain-health included. */
export const pagesOfCaller = 4;

/** The names under which an unfinished page load counts, and how many each may have: its caller, and those that it shares turns with. */
export function pageLimitsOf(
  {
    queue,
    caller: id,
    levels = [],
    isAnonymous,
    pages,
  }: Pick<Job, 'queue' | 'caller' | 'levels' | 'isAnonymous' | 'pages'>,
  usual: number,
): readonly { readonly name: string; readonly limit: number }[] {
  if (queue !== 'browser') return [];
  return limitsByLevel({ id, kind: isAnonymous === true ? 'anonymous' : 'token', levels }, pages ?? usual);
}

/** The Problem of a caller that has enough page loads waiting. */
export function tooManyPages(limit: number): Problem {
  return new Problem(
    'rate_limited',
    `You have ${limit} page loads waiting (policy "browser"), those of domain-health included. Ask again when one of them is answered.`,
    { retryAfterS: 5, policy: 'browser' },
  );
}
