import type { Expiry } from '#shared/catalogue/domain-health/expiries';
import type { HealthFacts } from '../facts/health.ts';
import { endingOf } from '../registration/ending.ts';
import { endingsOfCertificates } from './certificates.ts';
import { endingsOfMailHosts } from './mail-hosts.ts';
import { endingOfPolicyHost } from './policy-host.ts';
import { endingOfSecurityTxt } from './security-txt.ts';
import { endingOfSignatures } from './signatures.ts';
import { type Lifetime, showEnding } from './state.ts';

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
    registered && endingOf(registered),
    ...endingsOfCertificates(ssl),
    endingOfPolicyHost(dns),
    ...endingsOfMailHosts(domain, smtp),
    endingOfSignatures(dns),
    endingOfSecurityTxt(headers),
  ];
  return endings
    .flatMap((ending) => (ending === undefined ? [] : showEnding(ending, at)))
    .toSorted((a, b) => Date.parse(a.expiresAt) - Date.parse(b.expiresAt))
    .slice(0, mostShown);
}
