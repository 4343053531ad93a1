import { rules } from '#shared/catalogue/redirect-check/rules';
import { redirectCheck as spec } from '#shared/catalogue/redirect-check/spec';
import { defineCheck } from '../check.ts';
import { assessRedirects } from './assess.ts';
import { gatherRedirects, walkLimits } from './gather.ts';

export const redirectCheck = defineCheck({
  spec: { ...spec, rules },
  gather: (context) => gatherRedirects(context, walkLimits),
  assess: assessRedirects,
});
