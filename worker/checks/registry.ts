import type { Check } from './check.ts';
import { dnsCheck } from './dns-check/index.ts';
import { domainHealthCheck } from './domain-health/index.ts';
import { pagespeedCheck } from './pagespeed-check/index.ts';
import { redirectCheck } from './redirect-check/index.ts';
import { securityHeaderCheck } from './security-header-check/index.ts';
import { sslCheck } from './ssl-check/index.ts';

const checks: readonly Check[] = [
  dnsCheck,
  securityHeaderCheck,
  pagespeedCheck,
  domainHealthCheck,
  redirectCheck,
  sslCheck,
];

/** The work of a check, by its name. */
export function findCheck(name: string): Check | undefined {
  return checks.find(({ spec }) => spec.name === name);
}
