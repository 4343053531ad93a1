import { rules } from '#shared/catalogue/domain-health/rules';
import { domainHealth as spec } from '#shared/catalogue/domain-health/spec';
import { assessHealth } from '#shared/health/assess';
import { defineCheck } from '../check.ts';
import { gatherHealth } from './gather.ts';

/** domain-health: one answer about a domain, from the reports of its sources. */
export const domainHealthCheck = defineCheck({
  spec: { ...spec, rules },
  gather: gatherHealth,
  assess: assessHealth,
});
