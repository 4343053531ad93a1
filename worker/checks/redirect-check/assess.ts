import type { redirectReportShape } from '#shared/catalogue/redirect-check/report';
import type { RedirectCode } from '#shared/catalogue/redirect-check/rules';
import type { FieldsOf } from '#shared/catalogue/spec';
import type { Assessment } from '#shared/model/report';
import type { Verdicts } from '#shared/model/verdict';
import { judgeFamilies } from '../../web/judge-families.ts';
import type { RedirectEvidence } from './evidence.ts';
import { readEndBlock } from './facts/chain.ts';
import { judgeArrival } from './judge/arrival.ts';
import { judgeClient } from './judge/client.ts';
import { judgeLocations } from './judge/locations.ts';
import { judgePath } from './judge/path.ts';
import { reportChain, reportEnd } from './report.ts';

/** Judges a walked redirect chain. Pure: the same evidence always gives the same verdicts. */
export function assessRedirects(
  evidence: RedirectEvidence,
): Assessment<RedirectCode, FieldsOf<typeof redirectReportShape>> {
  const verdicts: Verdicts<RedirectCode> = {
    ...judgePath(evidence),
    ...judgeLocations(evidence),
    ...judgeArrival(evidence),
    ...judgeFamilies(evidence.families),
    'client-dependent': judgeClient(evidence),
  };
  const block = readEndBlock(evidence);
  const state = block ? 'partial' : stateOf(evidence);
  return {
    state,
    verdicts,
    fields: { ...reportChain(evidence), answeredBy: block ?? null, ended: reportEnd(evidence) },
    // What a visitor meets behind a hop that we did not wait for, or that keeps us out, may be anything.
    ...(state === 'partial' ? { score: null } : {}),
  };
}

function stateOf({ stop }: RedirectEvidence): Assessment['state'] {
  if (stop.kind === 'failure') return 'unreachable';
  return stop.kind === 'out-of-time' ? 'partial' : 'complete';
}
