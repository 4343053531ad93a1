import type { RedirectEnd } from '#shared/catalogue/redirect-check/report';
import type { HopSeen, RedirectEvidence } from './evidence.ts';
import { findAskedTwice, redirectsOf } from './facts/chain.ts';

/** How the chain ended, in the report's word. */
export function reportEnd({ hops, stop }: RedirectEvidence): RedirectEnd {
  switch (stop.kind) {
    case 'arrived':
      return findAskedTwice(hops) === undefined ? 'ok' : 'cookie-required';
    case 'failure':
      return isRefusedByGuard(hops.at(-1)) ? 'refused' : 'unreachable';
    case 'out-of-time':
      return 'unreachable';
    case 'foreign-scheme':
    case 'location-too-long':
      return 'refused';
    case 'loop':
    case 'too-many':
    case 'invalid-location':
      return stop.kind;
    case 'several-locations':
      return 'invalid-location';
  }
}

function isRefusedByGuard(last: HopSeen | undefined): boolean {
  return last?.seen.kind === 'failure' && last.seen.code.startsWith('target-');
}

/** The chain as the report shows it. */
export function reportChain({ hops, stop }: RedirectEvidence) {
  const last = stop.kind === 'arrived' ? hops.at(-1) : undefined;
  return {
    hops: hops.map(reportHop),
    finalUrl: last?.url ?? null,
    finalStatus: last?.seen.kind === 'response' ? last.seen.status : null,
    redirects: redirectsOf(hops).length,
    totalMs: addTimes(hops),
  };
}

function addTimes(hops: readonly HopSeen[]): number | null {
  let sum = 0;
  for (const { seen } of hops) {
    const ms = seen.kind === 'response' ? seen.timings.total : seen.waitedMs;
    if (ms === undefined) return null;
    sum += ms;
  }
  return Math.round(sum * 10) / 10;
}

function reportHop({ url, seen, next }: HopSeen) {
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
    address,
    timings,
    tls,
    headers,
  };
}

function locationOf(
  seen: Extract<HopSeen['seen'], { kind: 'response' }>,
  next: HopSeen['next'],
): string | null {
  if (next && next.via !== 'http') return next.url;
  const texts = seen.locations.map(({ text }) => text);
  return texts.find((text) => text !== '') ?? texts[0] ?? null;
}
