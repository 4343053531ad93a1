import { siteOf } from '../../../shared/target/parse-target.ts';
import type { HopAnswer, HopSeen } from './evidence.ts';

/** A hop that answered. */
export type AnsweredHop = HopSeen & { readonly seen: HopAnswer; readonly number: number };

/** A hop that sent the visitor on. `number` counts hops from 1. */
export type Redirect = AnsweredHop & {
  readonly next: NonNullable<HopSeen['next']>;
  readonly from: URL;
  readonly to: URL;
};

/** The hops that answered, numbered from 1. */
export function answeredHops(hops: readonly HopSeen[]): readonly AnsweredHop[] {
  return hops.flatMap((hop, index) =>
    hop.seen.kind === 'response' ? [{ ...hop, seen: hop.seen, number: index + 1 }] : [],
  );
}

/** The redirects that were followed. */
export function redirectsOf(hops: readonly HopSeen[]): readonly Redirect[] {
  return answeredHops(hops).flatMap((hop) =>
    hop.next ? [{ ...hop, next: hop.next, from: new URL(hop.url), to: new URL(hop.next.url) }] : [],
  );
}

/** http → https on the same host and path. */
export function isHttpsUpgrade({ from, to }: Redirect): boolean {
  return from.protocol === 'http:' && to.protocol === 'https:';
}

export function isHttpsDowngrade({ from, to }: Redirect): boolean {
  return from.protocol === 'https:' && to.protocol === 'http:';
}

export function isCrossSite({ from, to }: Redirect): boolean {
  return siteOf(from.hostname) !== siteOf(to.hostname);
}

/** Only scheme or host change, path and query stay: what a site does once for each visitor, and for ever. */
export function isCanonicalising(redirect: Redirect): boolean {
  const { from, to } = redirect;
  return (
    !isCrossSite(redirect) &&
    from.pathname === to.pathname &&
    from.search === to.search &&
    (from.protocol !== to.protocol || from.host !== to.host)
  );
}
