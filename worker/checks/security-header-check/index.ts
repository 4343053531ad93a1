import { rules } from '#shared/catalogue/security-header-check/rules';
import { securityHeaderCheck as spec } from '#shared/catalogue/security-header-check/spec';
import { atRightTime } from '../../web/at-right-time.ts';
import type { PreloadList } from '../../web/preload-list.ts';
import { defineCheck } from '../check.ts';
import { assessHeaders } from './assess.ts';
import type { HeaderEvidence } from './evidence.ts';
import { gatherHeaders, gatherHeadersWith } from './gather.ts';

const promise = {
  spec: { ...spec, rules },
  assess: assessHeaders,
  atTime: (evidence: HeaderEvidence, byMs: number): HeaderEvidence => ({
    ...atRightTime(evidence),
    seenAtMs: evidence.seenAtMs + byMs,
  }),
};

export const securityHeaderCheck = defineCheck({ ...promise, gather: gatherHeaders });

/** The same check with the whole preload list, which tells of every host whether it is on it. */
export function makeSecurityHeaderCheck(list: PreloadList) {
  return defineCheck({ ...promise, gather: gatherHeadersWith(list) });
}
