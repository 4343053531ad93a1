import { isBroken, notTested, type Verdict } from '#shared/model/verdict';
import { siteOf } from '#shared/targets/parse-target';
import { withoutFragment } from '#shared/targets/without-fragment';
import type { Block } from '../../../web/block-page.ts';
import { readUnseen, type Unseen } from '../../../web/page-seen.ts';
import type { Stop } from '../../../web/walk.ts';
import type { HopAnswer, HopObservation, RedirectEvidence } from '../evidence.ts';

/** A hop that answered; `number` counts from 1. */
export type AnsweredHop = HopObservation & { readonly seen: HopAnswer; readonly number: number };

/** A hop that sent the visitor on. */
export type Redirect = AnsweredHop & {
  readonly next: NonNullable<HopObservation['next']>;
  readonly from: URL;
  readonly to: URL;
};

/** The hops that answered. */
export function answeredHops(hops: readonly HopObservation[]): readonly AnsweredHop[] {
  return hops.flatMap((hop, index) =>
    hop.seen.kind === 'response' ? [{ ...hop, seen: hop.seen, number: index + 1 }] : [],
  );
}

/** The hops that sent the visitor on; after the last of a loop or of a chain too long, nobody went. */
export function redirectsOf(hops: readonly HopObservation[]): readonly Redirect[] {
  return answeredHops(hops).flatMap((hop) =>
    hop.next ? [{ ...hop, next: hop.next, from: new URL(hop.url), to: new URL(hop.next.url) }] : [],
  );
}

/** What was seen to be broken stays so; of a chain that was not seen to its end, nothing else is said. */
export function asFarAsSeen(stop: Stop, verdict: Verdict): Verdict {
  return isUnfinished(stop) && !isBroken(verdict)
    ? notTested('the chain could not be walked to its end')
    : verdict;
}

const unfinished: ReadonlySet<Stop['kind']> = new Set([
  'failure',
  'out-of-time',
  'location-too-long',
  'given-up',
]);

/** True where browsers may go on, and we did not; a loop and the like have an end that was seen. */
export function isUnfinished({ kind }: Stop): boolean {
  return unfinished.has(kind);
}

/** Why a body was not opened, or not far enough to say anything of what it holds. */
const unopened: readonly HopAnswer['bodyCut'][] = ['decompression-bomb', 'too-many-encodings', 'not-read'];

/** What is said of a page that was read; of one that was not read to its end, nothing. A file that is no HTML page hides none in its rest. */
export function asFarAsRead({ page, bodyCut }: HopAnswer, verdict: Verdict): Verdict {
  const isWhole = bodyCut === null || (page === null && !unopened.includes(bodyCut));
  if (page?.cut !== undefined) return notTested(`the page was not read to its end: ${page.cut}`);
  return isWhole ? verdict : notTested(`the page was not read to its end (${bodyCut})`);
}

/** Why the page of a chain that arrived was not seen; undefined where it was, or the chain did not arrive. */
export function readEndUnseen({ url, hops, stop }: RedirectEvidence): Unseen | undefined {
  const last = stop.kind === 'arrived' ? answeredHops(hops).at(-1) : undefined;
  if (!last) return undefined;
  const { status, headers = [], bodySigns = [] } = last.seen;
  return readUnseen({ url: last.url, status, headers, bodySigns }, url);
}

/** Who answered instead of the site where the chain arrived; undefined where nobody did, or the chain did not arrive. */
export function readEndBlock(evidence: RedirectEvidence): Block | undefined {
  const unseen = readEndUnseen(evidence);
  return unseen?.kind === 'blocked' ? unseen.block : undefined;
}

/** Why nothing is said of a page that was not seen. */
export function whyBlocked({ reason }: Block): Verdict {
  return notTested(`the page itself was not seen: ${reason}`);
}

/** True from http to https, whatever else changes. */
export function isHttpsUpgrade({ from, to }: Redirect): boolean {
  return from.protocol === 'http:' && to.protocol === 'https:';
}

/** True from https to http. */
export function isHttpsDowngrade({ from, to }: Redirect): boolean {
  return from.protocol === 'https:' && to.protocol === 'http:';
}

/** True where the registrable domain changes. */
export function isCrossSite({ from, to }: Redirect): boolean {
  return siteOf(from.hostname) !== siteOf(to.hostname);
}

/** Only scheme or host change, and not for the worse; path and query stay: what a site does once for each visitor, and for ever. */
export function isCanonicalising(redirect: Redirect): boolean {
  const { from, to } = redirect;
  return (
    !isCrossSite(redirect) &&
    !isHttpsDowngrade(redirect) &&
    from.pathname === to.pathname &&
    from.search === to.search &&
    from.origin !== to.origin
  );
}

/** The first address that was asked for a second time; undefined when each was asked once. */
export function findAskedTwice(hops: RedirectEvidence['hops']): string | undefined {
  const asked = new Set<string>();
  return hops.map(({ url }) => withoutFragment(url)).find((url) => asked.has(url) || !asked.add(url));
}
