import { makeJob } from '#shared/catalogue/make-job';
import type { CheckSpec } from '#shared/catalogue/spec';
import type { Job, AcceptedAge } from '#shared/model/job';
import { Problem } from '#shared/model/problem';
import type { Ask } from '../request/ask.ts';
import type { Caller } from '../request/caller.ts';
import { retryAfterS } from './later.ts';

/** Who asks what, and which report ends the wait. */
export type Drawing = {
  readonly ask: Ask;
  readonly caller: Caller;
  readonly requestId: string;
  /** The traceparent of the request's span, where requests are traced. */
  readonly trace: string | undefined;
  readonly wanted: AcceptedAge;
  /** Milliseconds since 1970. */
  readonly now: number;
};

/** The job that answers a request of which nothing is known yet; it starts within `queueSeconds` or not at all. */
export function drawJob(
  spec: CheckSpec,
  { ask, caller, requestId, trace, wanted, now }: Drawing,
  queueSeconds: number,
): Job {
  const { jobKey, keyVersion, target, options, host, owner } = ask;
  const isAnonymous = caller.kind === 'anonymous';
  const wish = {
    jobKey,
    keyVersion,
    target,
    options,
    host,
    caller: caller.id,
    levels: caller.levels,
    isAnonymous,
    requestId,
    ...(caller.pages === undefined ? {} : { pages: caller.pages }),
    ...(owner === undefined ? {} : { account: owner }),
    ...(trace === undefined ? {} : { trace }),
    wanted,
  };
  return makeJob(spec, wish, now + queueSeconds * 1000);
}

/** What a caller hears whose job finds its host's line full. */
export function tooMuchWaits({ host }: Job): Problem {
  return new Problem('overloaded', `Too many checks of ${host} are waiting already. Ask again later.`, {
    retryAfterS: retryAfterS(60),
  });
}
