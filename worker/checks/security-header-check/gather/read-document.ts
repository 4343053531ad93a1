import { type DefaultTreeAdapterMap, defaultTreeAdapter } from 'parse5';
import type { Work } from '../../../probes/work.ts';
import { maskUrls } from '../../../web/mask-credentials.ts';
import type { DocumentObservation, PageElement } from '../evidence.ts';
import { type BoundedTree, parseBounded, parseInTurns } from './parse-bounded.ts';
import { openLoadsReading, readElementLoads } from './read-loads.ts';

type Tree = DefaultTreeAdapterMap;

const elementLimit = 2000;
const valueLimit = 16_384;
/** All policies of a page together; the header section may hold no more either. Judging ten times as much blocks the process for half a second. */
const policyLimit = 65_536;

const kept: { readonly [name: string]: readonly string[] } = {
  meta: ['http-equiv', 'name', 'content'],
  script: ['src', 'type', 'integrity', 'crossorigin'],
  link: ['rel', 'href', 'integrity', 'crossorigin'],
};
const htmlNamespace = 'http://www.w3.org/1999/xhtml';

/**
 * Reads the elements of a page that a policy may come from or hold, and what it loads; in the tree that a browser would build, scripts not run.
 * @param url the page's own address
 */
export function readDocument(html: string, url: string): DocumentObservation {
  return readTree(parseBounded(html), url);
}

/** The same, without keeping the event loop busy for long. */
export async function readDocumentInTurns(
  html: string,
  url: string,
  work: Work,
): Promise<DocumentObservation> {
  return readTree(await parseInTurns(html, work), url);
}

function readTree({ document, cut }: BoundedTree, url: string): DocumentObservation {
  const elements: PageElement[] = [];
  let base: string | null = null;
  let policies = 0;
  const loads = openLoadsReading(url);
  const seen = (why: string | null): DocumentObservation => ({
    elements,
    base,
    foreign: [...loads.foreign.values()],
    clearText: [...loads.clearText.values()],
    cut: why,
  });
  for (const node of nodesOf(document)) {
    if (!defaultTreeAdapter.isElementNode(node) || node.namespaceURI !== htmlNamespace) continue;
    if (node.tagName === 'base' && base === null) {
      base = baseOf(node);
      loads.base = URL.parse(base ?? '', url) ?? loads.page;
    }
    readElementLoads(node, loads);
    const element = readElement(node);
    if (element && elements.length === elementLimit)
      return seen(`it has more than ${elementLimit} such elements`);
    if (!element) continue;
    policies += policyLengthOf(element);
    if (policies > policyLimit) return seen(`its policies have more than ${policyLimit} characters`);
    elements.push(element);
  }
  return seen(cut);
}

function baseOf({ attrs }: Tree['element']): string | null {
  const href = attrs.find(({ name }) => name === 'href')?.value;
  return href === undefined ? null : maskUrls(href).slice(0, valueLimit);
}

function readElement({ tagName, attrs, parentNode }: Tree['element']): PageElement | undefined {
  if (tagName !== 'meta' && tagName !== 'script' && tagName !== 'link') return undefined;
  const names = kept[tagName] ?? [];
  const attributes = attrs
    .filter(({ name }) => names.includes(name))
    .map(({ name, value }) => [name, maskUrls(value).slice(0, valueLimit)] as const);
  return {
    name: tagName,
    parent: parentNode && 'tagName' in parentNode ? parentNode.tagName : '',
    attributes,
  };
}

// An own stack instead of recursion; what stands in a template is not in the document.
function* nodesOf(document: Tree['document']): Generator<Tree['node']> {
  const stack: Tree['node'][] = [document];
  for (let node = stack.pop(); node; node = stack.pop()) {
    yield node;
    if ('childNodes' in node)
      for (let at = node.childNodes.length - 1; at >= 0; at -= 1)
        stack.push(node.childNodes[at] as Tree['node']);
  }
}

function policyLengthOf({ name, attributes }: PageElement): number {
  const valueOf = (key: string) => attributes.find(([found]) => found === key)?.[1] ?? '';
  const isPolicy =
    name === 'meta' && valueOf('http-equiv').toLowerCase().startsWith('content-security-policy');
  return isPolicy ? valueOf('content').length : 0;
}
