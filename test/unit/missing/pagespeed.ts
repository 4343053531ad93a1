import type { Load, PagespeedEvidence } from '../../../worker/checks/pagespeed-check/evidence.ts';
import { cases } from '../pagespeed-check/cases.ts';
import type { Lost, Sight } from './lost.ts';

const noBrowser: Load = {
  kind: 'failure',
  code: 'browser-unavailable',
  reason: 'the reason',
  fix: 'Install one.',
};

function withoutLoads(evidence: PagespeedEvidence): Lost<PagespeedEvidence> {
  return [
    ['the browser', { ...evidence, runs: [noBrowser] }],
    ['field data', { ...evidence, field: { kind: 'none', reason: 'nobody was asked' } }],
  ];
}

export function pagespeedSights(): readonly Sight<PagespeedEvidence>[] {
  return cases.map(({ name, evidence }) => ({ name, evidence, lost: () => withoutLoads(evidence) }));
}
