import { brokenIf, notTested, type Verdict } from '#shared/model/verdict';
import type { RedirectEvidence } from '../evidence.ts';

/** Judges whether the first address answers the chosen client as it answers our own User-Agent. */
export function judgeClient({ hops, asOurs }: RedirectEvidence): Verdict {
  if (!asOurs) return 'not-applicable';
  const [first] = hops;
  if (first?.seen.kind !== 'response') return notTested('the first address did not answer the chosen client');
  if (asOurs.kind === 'failed') return notTested(`our own User-Agent got no answer: ${asOurs.reason}`);
  const { status, locations } = first.seen;
  const location = locations[0]?.text ?? null;
  return brokenIf(status !== asOurs.status || location !== asOurs.location, {
    url: first.url,
    status,
    location: location ?? '(no Location)',
    ownStatus: asOurs.status,
    ownLocation: asOurs.location ?? '(no Location)',
  });
}
