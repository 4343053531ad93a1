import { getDomain } from 'tldts';
import type { LoadKind } from '../evidence.ts';
import type { PageFacts } from './page.ts';

/** Another site's origin that a page names: how often for what, and whether its scripts and styles have an integrity attribute. */
export type ThirdParty = {
  readonly origin: string;
  /** Its registrable domain, or its host where it has none. */
  readonly site: string;
  readonly kinds: { readonly [K in LoadKind]?: number };
  /** null where it gives neither script nor style. */
  readonly integrity: 'all' | 'some' | 'none' | null;
};

type Counting = { kinds: { [K in LoadKind]?: number }; checkable: number; checked: number };

/** The origins of other sites that the page's HTML names, sorted; what scripts and styles load themselves is not seen. */
export function readThirdParties({ document, url }: Pick<PageFacts, 'document' | 'url'>): ThirdParty[] {
  const own = domainOf(url.hostname);
  const found = new Map<string, Counting>();
  for (const { kind, origin, count, withIntegrity } of document?.foreign ?? []) {
    const counting = found.get(origin) ?? { kinds: {}, checkable: 0, checked: 0 };
    found.set(origin, counting);
    counting.kinds[kind] = count;
    if (kind !== 'script' && kind !== 'style') continue;
    counting.checkable += count;
    counting.checked += withIntegrity;
  }
  return [...found]
    .map(([origin, { kinds, checkable, checked }]) => ({
      origin,
      site: domainOf(new URL(origin).hostname),
      kinds,
      integrity: integrityOf(checkable, checked),
    }))
    .filter(({ site }) => site !== own)
    .toSorted((one, other) => (one.origin < other.origin ? -1 : 1));
}

function integrityOf(checkable: number, checked: number): ThirdParty['integrity'] {
  if (checkable === 0) return null;
  if (checked === 0) return 'none';
  return checked === checkable ? 'all' : 'some';
}

/** The registrable domain of a host; names below github.io and the like are sites of their own. */
export function domainOf(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host;
}
