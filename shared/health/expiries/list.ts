import type { Expiry } from '../../catalogue/domain-health/report.ts';
import { lifetimesIn } from '../../catalogue/expiries/endings.ts';
import type { HealthFacts } from '../facts/health.ts';
import { endingOfRegistration } from './registration.ts';
import { showEnding } from './state.ts';

/** Of one site there are a handful. */
const mostShown = 100;

type ExpiryFacts = Pick<HealthFacts, 'registration' | 'ssl' | 'dns' | 'headers' | 'smtp'>;

/** Everything that the sources saw to end at some time, the earliest first. @param at when the report was checked, Unix ms */
export function listExpiries({ registration, ssl, dns, headers, smtp }: ExpiryFacts, at: number): Expiry[] {
  const { registration: registered } = registration;
  const registrationEnds = registered && endingOfRegistration(registered);
  const sources = [ssl, dns, smtp, headers];
  return [
    ...(registrationEnds ? [registrationEnds] : []),
    ...sources.flatMap((source) => lifetimesIn(source?.report)),
  ]
    .map((ending) => showEnding(ending, at))
    .toSorted((a, b) => Date.parse(a.expiresAt) - Date.parse(b.expiresAt))
    .slice(0, mostShown);
}
