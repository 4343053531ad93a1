import { dnsCheck } from './dns-check/spec.ts';
import { domainHealth } from './domain-health/spec.ts';
import { pagespeedCheck } from './pagespeed-check/spec.ts';
import { redirectCheck } from './redirect-check/spec.ts';
import { securityHeaderCheck } from './security-header-check/spec.ts';
import type { CheckSpec } from './spec.ts';
import { sslCheck } from './ssl-check/spec.ts';

/** Every check, in the order of the documentation. */
export const catalogue: readonly CheckSpec[] = [
  dnsCheck,
  securityHeaderCheck,
  pagespeedCheck,
  domainHealth,
  redirectCheck,
  sslCheck,
];

/** The promise of a check, by its name. */
export function findSpec(name: string): CheckSpec | undefined {
  return catalogue.find((spec) => spec.name === name);
}
