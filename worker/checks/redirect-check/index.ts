import { rules } from '../../../shared/catalogue/redirect-check/rules.ts';
import { redirectCheck as spec } from '../../../shared/catalogue/redirect-check/spec.ts';
import { defineCheck } from '../check.ts';
import { assessRedirects } from './assess.ts';
import { gatherRedirects } from './gather.ts';

export const redirectCheck = defineCheck({
  spec: { ...spec, rules },
  gather: gatherRedirects,
  assess: assessRedirects,
});
