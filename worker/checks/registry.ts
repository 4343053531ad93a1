import type { Check } from './check.ts';
import { dnsCheck } from './dns-check/index.ts';
import { domainHealthCheck } from './domain-health/index.ts';
import { pagespeedCheck } from './pagespeed-check/index.ts';
import { redirectCheck } from './redirect-check/index.ts';
import { makeSecurityHeaderCheck, securityHeaderCheck } from './security-header-check/index.ts';
import { sslCheck } from './ssl-check/index.ts';

const checks: readonly Check[] = [
  dnsCheck,
  securityHeaderCheck,
  pagespeedCheck,
  domainHealthCheck,
  redirectCheck,
  sslCheck,
];

export type FindCheck = (name: string) => Check | undefined;

/** The work of a check, by its name, with what is built in. */
export const findCheck: FindCheck = (name) => checks.find(({ spec }) => spec.name === name);

/** The same with the operator's HSTS preload list. @param preloadText throws an Error that says why it is none */
export function makeFindCheck(preloadText: string | undefined): FindCheck {
  if (preloadText === undefined) return findCheck;
  const headers = makeSecurityHeaderCheck(preloadText);
  return (name) => (name === headers.spec.name ? headers : findCheck(name));
}
