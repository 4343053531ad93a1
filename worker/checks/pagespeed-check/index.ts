import { rules } from '../../../shared/catalogue/pagespeed-check/rules.ts';
import { pagespeedCheck as spec } from '../../../shared/catalogue/pagespeed-check/spec.ts';
import { defineCheck } from '../check.ts';
import { assessPagespeed } from './assess.ts';
import { type BrowserContext, gatherPagespeed } from './gather.ts';

export const pagespeedCheck = defineCheck({
  spec: { ...spec, rules },
  // Workers that serve the queue `browser` open their runs with this probe as well.
  gather: async (context) => gatherPagespeed(context as BrowserContext),
  assess: assessPagespeed,
});
