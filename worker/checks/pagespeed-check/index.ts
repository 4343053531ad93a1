import { rules } from '#shared/catalogue/pagespeed-check/rules';
import { pagespeedCheck as spec } from '#shared/catalogue/pagespeed-check/spec';
import { defineCheck } from '../check.ts';
import { assessPagespeed } from './assess.ts';
import { withoutTimedRefusals } from './evidence.ts';
import { gatherPagespeed } from './gather.ts';
import { filmstripOf } from './report/fields.ts';
import { screenshotOf } from './report/screenshot.ts';

/** Loads a page in a browser and judges its speed. */
export const pagespeedCheck = defineCheck({
  spec: { ...spec, rules },
  gather: gatherPagespeed,
  assess: assessPagespeed,
  atTime: withoutTimedRefusals,
  picturesOf: (evidence) => [
    { kind: 'screenshot', ...screenshotOf(evidence) },
    { kind: 'filmstrip', ...filmstripOf(evidence) },
  ],
});
