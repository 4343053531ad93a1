import type { redirectReportShape } from '#shared/catalogue/redirect-check/report';
import type { RedirectCode } from '#shared/catalogue/redirect-check/rules';
import type { FieldsOf } from '#shared/catalogue/spec';
import type { Assessment } from '#shared/model/report';
import type { Verdicts } from '#shared/model/verdict';
import { judgeFamilies } from '../../web/judge-families.ts';
import type { RedirectEvidence } from './evidence.ts';
import { isUnfinished, readEndUnseen } from './facts/chain.ts';
import { judgeArrival } from './judge/arrival.ts';
import { judgeClient } from './judge/client.ts';
import { isAppScheme, judgeLocations } from './judge/locations.ts';
import { judgePath } from './judge/path.ts';
import { reportChain, reportEnd } from './report.ts';
import { scoreRedirects } from './score.ts';

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
  const unseen = readEndUnseen(evidence);
  const block = unseen?.kind === 'blocked' ? unseen.block : null;
  const state = unseen ? 'partial' : stateOf(evidence);
  return {
    state,
    verdicts,
    fields: { ...reportChain(evidence), answeredBy: block, ended: reportEnd(evidence) },
    // What a visitor meets behind an end that is not the page, or that we did not come to, may be anything.
    ...scoreRedirects(verdicts, evidence, state === 'complete'),
  };
}

function stateOf({ stop }: RedirectEvidence): Assessment['state'] {
  if (stop.kind === 'failure') return 'unreachable';
  // What an app does with the address is not seen.
  const isHandedOn = stop.kind === 'foreign-scheme' && isAppScheme(stop.scheme);
  return isUnfinished(stop) || isHandedOn ? 'partial' : 'complete';
}
