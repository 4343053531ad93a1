import type { Expiry } from '#shared/catalogue/domain-health/report';
import { endingsOfCertificates } from '#shared/catalogue/expiries/certificates';
import type { Lifetime } from '#shared/catalogue/expiries/lifetime';
import {
  endingOfPolicyHost,
  endingOfSecurityTxt,
  endingsOfMailHosts,
} from '#shared/catalogue/expiries/others';
import { endingOfSignatures } from '#shared/catalogue/expiries/signatures';
import type { HealthFacts } from '../facts/health.ts';
import { endingOfRegistration } from './registration.ts';
import { showEnding } from './state.ts';

/** Of one site there are a handful. */
const mostShown = 100;

type ExpiryFacts = Pick<HealthFacts, 'domain' | 'registration' | 'ssl' | 'dns' | 'headers' | 'smtp'>;

/** Everything that the sources saw to end at some time, the earliest first. @param at when the report was checked, Unix ms */
export function listExpiries(
  { domain, registration, ssl, dns, headers, smtp }: ExpiryFacts,
  at: number,
): Expiry[] {
  const { registration: registered } = registration;
  const endings: (Lifetime | undefined)[] = [
    registered && endingOfRegistration(registered),
    ...endingsOfCertificates(ssl.report),
    endingOfPolicyHost(dns.report),
    ...endingsOfMailHosts(domain, smtp?.report),
    endingOfSignatures(dns.report),
    endingOfSecurityTxt(headers.report),
  ];
  return endings
    .flatMap((ending) => (ending === undefined ? [] : showEnding(ending, at)))
    .toSorted((a, b) => Date.parse(a.expiresAt) - Date.parse(b.expiresAt))
    .slice(0, mostShown);
}
