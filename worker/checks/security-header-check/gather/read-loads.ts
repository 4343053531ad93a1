import type { DefaultTreeAdapterMap } from 'parse5';
import { isAddressHost } from '../../../web/address-host.ts';
import { maskUrls } from '../../../web/mask-credentials.ts';
import { isTrustworthy } from '../../../web/trustworthy.ts';
import type { ClearTextLoad, ForeignLoad, LoadKind } from '../evidence.ts';

type Element = DefaultTreeAdapterMap['element'];

/** What is read of a page's loads, element by element. */
export type LoadsState = {
  readonly page: URL;
  /** Changes at the first base element. */
  base: URL;
  readonly foreign: Map<string, ForeignLoad>;
  readonly clearText: Map<string, ClearTextLoad>;
  /** Addresses that were read so far. */
  addresses: number;
};

/** A page with more addresses or origins, or an image with more candidates, than this is no usual one; the first are enough. */
const limits = { addresses: 10_000, origins: 300, address: 500, candidates: 1000 };

/** Opens an empty reading. @param url the page's own address */
export function openLoadsReading(url: string): LoadsState {
  const page = new URL(url);
  return { page, base: page, foreign: new Map(), clearText: new Map(), addresses: 0 };
}

/** Reads what an element loads, or where its form leads: origins other than the page's, and addresses in clear text. */
export function readElementLoads({ tagName, attrs }: Element, reading: LoadsState): void {
  const find = (tagName === 'link' ? findLinkLoad : attributesOf.get(tagName)) ?? none;
  const valueOf = (name: string) => attrs.find((attribute) => attribute.name === name)?.value;
  const hasIntegrity = (valueOf('integrity') ?? '').trim() !== '';
  for (const [attribute, kind] of typeof find === 'function' ? find(valueOf) : find) {
    const value = valueOf(attribute) ?? '';
    const addresses = attribute.endsWith('srcset') ? readSrcset(value) : [value];
    for (const address of addresses)
      keepLoad({ element: tagName, attribute, kind, address, hasIntegrity }, reading);
  }
}

type Slot = readonly [attribute: string, kind: LoadKind];
const none: readonly Slot[] = [];

/** What each element loads by which attribute (HTML Standard). What styles and scripts load is not seen. */
const attributesOf: ReadonlyMap<string, readonly Slot[]> = new Map([
  ['script', [['src', 'script']]],
  ['iframe', [['src', 'frame']]],
  ['frame', [['src', 'frame']]],
  ['embed', [['src', 'frame']]],
  ['object', [['data', 'frame']]],
  [
    'img',
    [
      ['src', 'image'],
      ['srcset', 'image'],
    ],
  ],
  [
    'input',
    [
      ['src', 'image'],
      ['formaction', 'form'],
    ],
  ],
  [
    'source',
    [
      ['src', 'media'],
      ['srcset', 'image'],
    ],
  ],
  [
    'video',
    [
      ['src', 'media'],
      ['poster', 'image'],
    ],
  ],
  ['audio', [['src', 'media']]],
  ['track', [['src', 'media']]],
  ['form', [['action', 'form']]],
  ['button', [['formaction', 'form']]],
]);

const preloads: ReadonlyMap<string, LoadKind> = new Map([
  ['script', 'script'],
  ['style', 'style'],
  ['font', 'font'],
  ['image', 'image'],
]);

function findLinkLoad(valueOf: (name: string) => string | undefined): readonly Slot[] {
  const relations = (valueOf('rel') ?? '').toLowerCase().split(/\s+/);
  if (relations.includes('stylesheet')) return [['href', 'style']];
  if (relations.includes('modulepreload')) return [['href', 'script']];
  if (relations.includes('icon') || relations.includes('apple-touch-icon')) return [['href', 'image']];
  const kind = relations.includes('preload') && preloads.get((valueOf('as') ?? '').toLowerCase());
  return kind ? [['href', kind]] : none;
}

function readSrcset(value: string): string[] {
  return value.split(',', limits.candidates).map((candidate) => candidate.trim().split(/\s/, 1)[0] ?? '');
}

type Load = {
  readonly element: string;
  readonly attribute: string;
  readonly kind: LoadKind;
  readonly address: string;
  readonly hasIntegrity: boolean;
};

function keepLoad(load: Load, reading: LoadsState): void {
  const url = resolveForeign(load.address, reading);
  if (!url) return;
  keepForeign(load, url.origin, reading.foreign);
  if (!isTrustworthy(url)) keepClearText(load, url, reading.clearText);
}

/** An address of another origin than the page's; undefined for its own, and once enough were read. */
function resolveForeign(address: string, reading: LoadsState): URL | undefined {
  const { page, base } = reading;
  // A path leads to the origin of the base, which is mostly the page's own.
  if (base.origin === page.origin && !/^\s*(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(address)) return undefined;
  if (address === '' || reading.addresses >= limits.addresses) return undefined;
  reading.addresses += 1;
  const url = URL.parse(address, base.href);
  return url && /^https?:$/.test(url.protocol) && url.origin !== page.origin ? url : undefined;
}

function keepForeign({ kind, hasIntegrity }: Load, origin: string, foreign: LoadsState['foreign']): void {
  const key = `${kind} ${origin}`;
  const { count, withIntegrity } = foreign.get(key) ?? { count: 0, withIntegrity: 0 };
  if (count === 0 && foreign.size >= limits.origins) return;
  foreign.set(key, { kind, origin, count: count + 1, withIntegrity: withIntegrity + (hasIntegrity ? 1 : 0) });
}

// Loads of one kind of element are counted, and the first is shown; to an address they are none that browsers upgrade.
function keepClearText(
  { element, attribute, kind }: Load,
  url: URL,
  clearText: LoadsState['clearText'],
): void {
  const isAddress = isAddressHost(url.hostname);
  const key = `${element} ${attribute} ${kind} ${isAddress}`;
  const count = (clearText.get(key)?.count ?? 0) + 1;
  const address = clearText.get(key)?.address ?? maskUrls(url.href).slice(0, limits.address);
  clearText.set(key, { element, attribute, kind, isAddress, count, address });
}
