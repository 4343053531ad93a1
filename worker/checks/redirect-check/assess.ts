import type { RedirectEnd } from '../../../shared/catalogue/redirect-check/report.ts';
import type { RedirectCode } from '../../../shared/catalogue/redirect-check/rules.ts';
import type { Assessment } from '../../../shared/model/report.ts';
import type { Verdicts } from '../../../shared/model/verdict.ts';
import { judgeArrival } from './assess-arrival.ts';
import { judgeLocations } from './assess-locations.ts';
import { judgePath } from './assess-path.ts';
import { redirectsOf } from './chain.ts';
import type { RedirectEvidence } from './evidence.ts';

/** Judges a walked redirect chain. Pure: the same evidence always gives the same verdicts. */
export function assessRedirects(evidence: RedirectEvidence): Assessment<RedirectCode> {
  const verdicts: Verdicts<RedirectCode> = {
    ...judgePath(evidence),
    ...judgeLocations(evidence),
    ...judgeArrival(evidence),
  };
  const ended = endOf(evidence);
  return {
    state: ended === 'unreachable' || isRefusedByGuard(evidence) ? 'unreachable' : 'complete',
    verdicts,
    fields: { ...describeChain(evidence), ended },
  };
}

function endOf({ hops, stop }: RedirectEvidence): RedirectEnd {
  if (stop.kind === 'failure') return isRefusedByGuard({ hops, stop }) ? 'refused' : 'unreachable';
  if (stop.kind === 'foreign-scheme') return 'refused';
  if (stop.kind !== 'arrived') return stop.kind;
  return asksTwice(hops) ? 'cookie-required' : 'ok';
}

function isRefusedByGuard({ hops }: Pick<RedirectEvidence, 'hops' | 'stop'>): boolean {
  const last = hops.at(-1)?.seen;
  return (
    last?.kind === 'failure' &&
    (last.code === 'target-address-not-allowed' || last.code === 'target-not-allowed')
  );
}

function asksTwice(hops: RedirectEvidence['hops']): boolean {
  return new Set(hops.map(({ url }) => url)).size < hops.length;
}

function describeChain({ hops, stop }: RedirectEvidence) {
  const last = hops.at(-1);
  const arrived = stop.kind === 'arrived' && last?.seen.kind === 'response' ? last : undefined;
  const total = hops.reduce((sum, { seen }) => sum + (seen.kind === 'response' ? seen.timings.total : 0), 0);
  return {
    hops: hops.map(describeHop),
    finalUrl: arrived?.url ?? null,
    finalStatus: arrived?.seen.kind === 'response' ? arrived.seen.status : null,
    redirects: redirectsOf(hops).length,
    totalMs: Math.round(total * 10) / 10,
  };
}

function describeHop({ url, seen, next }: RedirectEvidence['hops'][number]) {
  if (seen.kind === 'failure') {
    return {
      url,
      status: null,
      location: null,
      address: seen.address,
      timings: null,
      error: { code: seen.code, reason: seen.reason },
    };
  }
  const { status, address, timings, locations, tls } = seen;
  const location = next && next.via !== 'http' ? next.url : (locations[0] ?? null);
  return { url, status, location, ...(next ? { via: next.via } : {}), address, timings, tls };
}
