import type { Rule } from '../../model/verdict.ts';
import { mailRules } from './mail/rules.ts';
import { caaRules } from './rules/caa.ts';
import { dnssecRules } from './rules/dnssec.ts';
import { nsRules } from './rules/ns.ts';
import { recordRules } from './rules/records.ts';
import { soaRules } from './rules/soa.ts';

/** The rules of the DNS half: `dnsScore` is 100 minus their points. */
export const dnsRules = {
  ...recordRules,
  ...nsRules,
  ...soaRules,
  ...dnssecRules,
  ...caaRules,
} as const satisfies Record<string, Rule>;
export type DnsCode = keyof typeof dnsRules;

/** Everything that can be wrong with a domain's DNS and mail. */
export const rules = { ...dnsRules, ...mailRules } as const satisfies Record<string, Rule>;
export type DnsCheckCode = keyof typeof rules;

/**
 * The most that a score can be where a critical rule is broken, so that the letter says it too: D at best, and F where resolvers that validate
 * do not get the domain at all.
 */
export const criticalCap = 69;

/** What makes a signed zone bogus. */
export const bogusCodes: readonly string[] = [
  'dnssec-bogus',
  'dnssec-ds-without-key',
  'dnssec-signature-invalid',
];
export const bogusCap = 50;
