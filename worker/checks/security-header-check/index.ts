import { rules } from '../../../shared/catalogue/security-header-check/rules.ts';
import { securityHeaderCheck as spec } from '../../../shared/catalogue/security-header-check/spec.ts';
import { defineCheck } from '../check.ts';
import { assessHeaders } from './assess.ts';
import { gatherHeaders } from './gather.ts';

export const securityHeaderCheck = defineCheck({
  spec: { ...spec, rules },
  gather: gatherHeaders,
  assess: assessHeaders,
});
