import { openHstsStore } from '../../../web/hsts-store.ts';
import { withoutFragment } from '../../../web/location.ts';
import type { RedirectEvidence } from '../evidence.ts';
import { answeredHops, redirectsOf } from './chain.ts';

/** Where a browser begins the next visit, why, and the redirects from there; null where the chain did not pass there. */
export type LaterVisit = {
  readonly url: string;
  readonly by: 'header' | 'preload-list';
  readonly redirects: number | null;
};

/** The next visit of a browser that kept the Strict-Transport-Security of this one; null where it is the same visit again. */
export function readLaterVisit({ url, hops, isPreloaded = false }: RedirectEvidence): LaterVisit | null {
  const store = openHstsStore(() => (isPreloaded ? 'listed' : 'unknown'));
  for (const hop of answeredHops(hops))
    store.keep(hop.seen.tls, hop.seen.hsts ?? undefined, new URL(hop.url));
  const upgrade = store.upgrade(new URL(url));
  if (!upgrade) return null;
  const { href } = upgrade.to;
  const at = hops.findIndex((hop) => withoutFragment(hop.url) === withoutFragment(href));
  return { url: href, by: upgrade.seen.by, redirects: at < 0 ? null : redirectsOf(hops.slice(at)).length };
}
