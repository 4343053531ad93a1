import type { Certificate } from '../certificate.ts';
import { findPath, type PathSources } from './find-path.ts';
import { rootsByStores } from './listed-roots.ts';

/** Stores beside Mozilla's, which is the one that Node has and that trust is judged by. */
export const otherStores = ['Apple', 'Chrome', 'Microsoft'] as const;
export type OtherStore = (typeof otherStores)[number];

/** How many digits of a SHA-256 name a root in the list. A root that is not there is not known. */
export const fingerprintDigits = 16;

const known: ReadonlyMap<string, readonly OtherStore[]> = new Map(
  Object.entries(rootsByStores).flatMap(([names, lines]) =>
    lines
      .flatMap((line) => line.split(' '))
      .map((root) => [root, otherStores.filter((store) => names.split(' ').includes(store))]),
  ),
);

/** The other stores that have a root; null for one that is not in the list. */
export function storesOf({ sha256 }: Pick<Certificate, 'sha256'>): readonly OtherStore[] | null {
  return known.get(sha256.slice(0, fingerprintDigits)) ?? null;
}

/** Whether a path leads to a root of each store; null where that is not known. */
export type TrustByStore = { readonly [S in OtherStore]: boolean | null };

/**
 * Says of a trusted path which other stores have its root, and looks for another path where one does not. What a store rules beside, such as
 * a day after which it takes no new certificates of a CA, is not part of it.
 * @param root the end of the path that was found
 * @param stores of a root
 */
export function findPathByStore(
  sources: PathSources,
  root: Certificate,
  stores: typeof storesOf = storesOf,
): TrustByStore {
  const others = sources.anchors.filter(({ sha256 }) => sha256 !== root.sha256);
  const unknown = others.filter((one) => stores(one) === null);
  // A search costs signatures, and usual chains lead to one root.
  const isTrustedBy = (anchors: readonly Certificate[]) =>
    anchors.length > 0 && findPath({ ...sources, anchors }).kind === 'trusted';
  const judge = (store: OtherStore): boolean | null => {
    const hasRoot = stores(root)?.includes(store);
    if (hasRoot === true) return true;
    const own = others.filter((one) => stores(one)?.includes(store) === true);
    if (isTrustedBy(own)) return true;
    return hasRoot === undefined || isTrustedBy(unknown) ? null : false;
  };
  return { Apple: judge('Apple'), Chrome: judge('Chrome'), Microsoft: judge('Microsoft') };
}
