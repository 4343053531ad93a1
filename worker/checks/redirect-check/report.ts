import type { RedirectEnd } from '#shared/catalogue/redirect-check/report';
import { withoutFragment } from '#shared/targets/without-fragment';
import { openHstsStore } from '../../web/hsts-store.ts';
import type { Stop } from '../../web/walk.ts';
import type { HopObservation, RedirectEvidence } from './evidence.ts';
import { answeredHops, findAskedTwice, redirectsOf } from './facts/chain.ts';

const ends: { readonly [K in Exclude<Stop['kind'], 'arrived' | 'failure'>]: RedirectEnd } = {
  loop: 'loop',
  'too-many': 'too-many',
  'invalid-location': 'invalid-location',
  'several-locations': 'invalid-location',
  'foreign-scheme': 'refused',
  nowhere: 'unreachable',
  // What we did not follow, browsers may reach.
  'out-of-time': 'unreachable',
  'location-too-long': 'unreachable',
  'given-up': 'unreachable',
};

/** How the chain ended, in the report's word. */
export function reportEnd({ hops, stop }: RedirectEvidence): RedirectEnd {
  if (stop.kind === 'arrived') return findAskedTwice(hops) === undefined ? 'ok' : 'cookie-required';
  if (stop.kind === 'failure') return isRefusedByGuard(hops.at(-1)) ? 'refused' : 'unreachable';
  return ends[stop.kind];
}

function isRefusedByGuard(last: HopObservation | undefined): boolean {
  return last?.seen.kind === 'failure' && last.seen.code.startsWith('target-');
}

/** The chain as the report shows it. */
export function reportChain(evidence: RedirectEvidence) {
  const { hops, stop } = evidence;
  const last = stop.kind === 'arrived' ? hops.at(-1) : undefined;
  return {
    hops: hops.map(reportHop),
    finalUrl: last?.url ?? null,
    finalStatus: last?.seen.kind === 'response' ? last.seen.status : null,
    redirects: redirectsOf(hops).length,
    totalMs: addTimes(hops),
    laterVisit: readLaterVisit(evidence),
  };
}

function addTimes(hops: readonly HopObservation[]): number | null {
  let sum = 0;
  for (const { seen } of hops) {
    const ms = seen.kind === 'response' ? seen.timings.total : seen.waitedMs;
    if (ms === undefined) return null;
    sum += ms;
  }
  return Math.round(sum * 10) / 10;
}

function reportHop({ url, seen, next }: HopObservation) {
  if (seen.kind === 'failure') {
    const { code, reason, address, waitedMs = null } = seen;
    return { url, status: null, location: null, address, timings: null, waitedMs, error: { code, reason } };
  }
  const { status, address, timings, tls, headers = [] } = seen;
  return {
    url,
    status,
    location: locationOf(seen, next),
    ...(next ? { via: next.via } : {}),
    ...(next?.upgraded ? { upgradedTo: next.url } : {}),
    address,
    timings,
    tls,
    headers,
  };
}

function locationOf(
  seen: Extract<HopObservation['seen'], { kind: 'response' }>,
  next: HopObservation['next'],
): string | null {
  if (next && next.via !== 'http') return next.url;
  const texts = seen.locations.map(({ text }) => text);
  return texts.find((text) => text !== '') ?? texts[0] ?? null;
}

/** Where a browser begins the next visit, why, and the redirects from there; null where the chain did not pass there. */
type LaterVisit = {
  readonly url: string;
  readonly by: 'header' | 'preload-list';
  readonly redirects: number | null;
};

/** The next visit of a browser that kept the Strict-Transport-Security of this one; null where it is the same visit again. */
function readLaterVisit({ url, hops, isPreloaded = false }: RedirectEvidence): LaterVisit | null {
  const store = openHstsStore(() => (isPreloaded ? 'listed' : 'unknown'));
  for (const hop of answeredHops(hops))
    store.keep(hop.seen.tls, hop.seen.hsts ?? undefined, new URL(hop.url));
  const upgrade = store.upgrade(new URL(url));
  if (!upgrade) return null;
  const { href } = upgrade.to;
  const at = hops.findIndex((hop) => withoutFragment(hop.url) === withoutFragment(href));
  return { url: href, by: upgrade.seen.by, redirects: at < 0 ? null : redirectsOf(hops.slice(at)).length };
}
