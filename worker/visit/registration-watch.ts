import { setTimeout as delay } from 'node:timers/promises';
import type { Job } from '#shared/model/job';
import type { Logger } from '#shared/telemetry/logger';
import { askRegistration, type RegistrationAsking, type RegistrationSettings } from './registration.ts';

/** What a registry may take in any case; it may take longer while the other checks of the visit do. */
const leastMs = 3000;

type RegistrationQuestion = Omit<RegistrationAsking, 'ending'> & {
  /** The end of the visit. */
  readonly limit: AbortSignal;
};

export type RegistrationWatch = {
  /** Ends the question once its time is up, and waits for its end. Never rejects. */
  end(): Promise<void>;
};

/** Begins to ask the registry beside the checks of a visit, which it never makes fail. */
export function openRegistrationWatch(
  job: Pick<Job, 'jobId' | 'target'>,
  settings: RegistrationSettings & { readonly log: Logger },
  { limit, ...asking }: RegistrationQuestion,
): RegistrationWatch {
  const ending = new AbortController();
  const over = new AbortController();
  const asked = askRegistration(job, settings, { ...asking, ending: ending.signal })
    .catch((error: unknown) => {
      // With the visit's own end nothing is left to tell; anything else is a defect, which costs the other checks nothing.
      if (!limit.aborted) settings.log.error({ err: error }, 'registration data could not be requested');
    })
    .finally(() => over.abort());
  const least = delay(leastMs, undefined, { signal: AbortSignal.any([over.signal, limit]) }).catch(
    () => undefined, // ended before
  );
  return {
    async end() {
      await least;
      ending.abort();
      await asked;
    },
  };
}
