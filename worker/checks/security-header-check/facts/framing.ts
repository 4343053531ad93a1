import { valuesOf } from '../../../web/fields.ts';
import { parseXFrameOptions, type XFrameOptions } from '../grammar/one-word-fields.ts';
import type { PageFacts } from './page.ts';
import { enforcedOf, listOf, type PolicyFacts, type SourceList } from './policies.ts';
import { isAnySite } from './script.ts';

/** Who may frame the page, and what says so. */
export type Framing = {
  readonly allowed: 'none' | 'same-origin' | 'listed' | 'all';
  readonly by: 'frame-ancestors' | 'x-frame-options' | 'nothing';
  /** The words of the rule that decides. */
  readonly sources: readonly string[];
  readonly xfo: XFrameOptions | undefined;
  /** Every enforced frame-ancestors; X-Frame-Options counts only where there is none. */
  readonly ancestors: readonly { readonly seen: PolicyFacts; readonly list: SourceList }[];
};

/** What browsers do with an embedding of the page: frame-ancestors decides, X-Frame-Options only without it (HTML Standard). */
export function readFraming({ policies, fields }: Pick<PageFacts, 'policies' | 'fields'>): Framing {
  const xfo = parseXFrameOptions(valuesOf(fields, 'x-frame-options'));
  const ancestors = enforcedOf(policies).flatMap((seen) => {
    const list = listOf(seen, ['frame-ancestors']);
    return list ? [{ seen, list }] : [];
  });
  if (ancestors.length > 0)
    return { ...strictest(ancestors.map(({ list }) => list)), by: 'frame-ancestors', xfo, ancestors };
  return { ...readXfo(xfo), xfo, ancestors };
}

const order = ['none', 'same-origin', 'listed', 'all'] as const;

// Every policy must allow the embedder, so the strictest one decides.
function strictest(lists: readonly SourceList[]): Pick<Framing, 'allowed' | 'sources'> {
  const verdicts = lists.map((list) => ({
    allowed: readAncestors(list),
    sources: list.sources.map(({ text }) => text),
  }));
  return (
    verdicts.toSorted((one, other) => order.indexOf(one.allowed) - order.indexOf(other.allowed))[0] ?? {
      allowed: 'all',
      sources: [],
    }
  );
}

function readAncestors({ sources }: SourceList): Framing['allowed'] {
  const matching = sources.filter(({ source }) => source.kind !== 'invalid');
  if (matching.some(isAnySite)) return 'all';
  const others = matching.filter(({ source }) => source.kind === 'host' || source.kind === 'scheme');
  if (others.length > 0) return 'listed';
  return matching.some(({ source }) => source.kind === 'keyword' && source.keyword === 'self')
    ? 'same-origin'
    : 'none';
}

function readXfo(xfo: XFrameOptions | undefined): Pick<Framing, 'allowed' | 'by' | 'sources'> {
  if (!xfo) return { allowed: 'all', by: 'nothing', sources: [] };
  switch (xfo.kind) {
    case 'deny':
    case 'conflict':
      return { allowed: 'none', by: 'x-frame-options', sources: xfo.values };
    case 'sameorigin':
      return { allowed: 'same-origin', by: 'x-frame-options', sources: xfo.values };
    case 'allowall':
      return { allowed: 'all', by: 'x-frame-options', sources: xfo.values };
    case 'allow-from':
    case 'invalid':
      return { allowed: 'all', by: 'nothing', sources: [] };
  }
}
