import { dnsCheck } from './dns-check/spec.ts';
import { domainHealth } from './domain-health/spec.ts';
import { pagespeedCheck } from './pagespeed-check/spec.ts';
import { redirectCheck } from './redirect-check/spec.ts';
import { securityHeaderCheck } from './security-header-check/spec.ts';
import { smtpCheck } from './smtp-check/spec.ts';
import type { CheckSpec } from './spec.ts';
import { sslCheck } from './ssl-check/spec.ts';

// In the order of the documentation.
const specs = {
  'dns-check': dnsCheck,
  'security-header-check': securityHeaderCheck,
  'pagespeed-check': pagespeedCheck,
  'domain-health': domainHealth,
  'redirect-check': redirectCheck,
  'ssl-check': sslCheck,
  'smtp-check': smtpCheck,
} as const satisfies { readonly [name: string]: CheckSpec };

/** The name of a check. What has an entry for each check `satisfies` a map of these, so that the compiler asks for those of a new one. */
export type CheckName = keyof typeof specs;

/** Every check, in the order of the documentation. */
export const catalogue: readonly CheckSpec[] = Object.values(specs);

/** The promise of a check, by its name. */
export function findSpec(name: string): CheckSpec | undefined {
  return catalogue.find((spec) => spec.name === name);
}
