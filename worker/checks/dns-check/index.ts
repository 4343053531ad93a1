import { rules } from '#shared/catalogue/dns-check/rules';
import { dnsCheck as spec } from '#shared/catalogue/dns-check/spec';
import { defineCheck } from '../check.ts';
import { assessDnsCheck } from './assess.ts';
import { gatherDnsCheck } from './gather.ts';

/** See what the DNS says of a domain, then judge it. */
export const dnsCheck = defineCheck({
  spec: { ...spec, rules },
  gather: gatherDnsCheck,
  assess: assessDnsCheck,
  atTime: ({ dns, ...more }, byMs) => ({
    ...more,
    dns: { ...dns, askedAtS: dns.askedAtS + Math.round(byMs / 1000) },
  }),
});
