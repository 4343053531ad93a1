import { rules } from '#shared/catalogue/redirect-check/rules';
import { redirectCheck as spec } from '#shared/catalogue/redirect-check/spec';
import { atRightTime } from '../../web/at-right-time.ts';
import { builtInPreloadList, type PreloadList } from '../../web/preload-list.ts';
import { defineCheck } from '../check.ts';
import { assessRedirects } from './assess.ts';
import { gatherRedirects, walkLimits } from './gather.ts';

export const redirectCheck = makeRedirectCheck(builtInPreloadList);

/** The check with a preload list, which tells of every host whether browsers hold it to https from the start. */
export function makeRedirectCheck(list: PreloadList) {
  return defineCheck({
    spec: { ...spec, rules },
    gather: (context) => gatherRedirects(context, walkLimits, list),
    assess: assessRedirects,
    atTime: atRightTime,
  });
}
