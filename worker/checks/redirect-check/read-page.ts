import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5';
import { parseRefresh, type Refresh } from './refresh.ts';

export type PageSeen = {
  readonly refresh: Refresh | null;
  readonly canonical: string | null;
  readonly setsLocation: boolean;
};

/** What an HTML page says about where the visitor should be. Only the text that was kept is read. */
export function readPage(html: string): PageSeen {
  const found: { refresh: Refresh | null; canonical: string | null; setsLocation: boolean } = {
    refresh: null,
    canonical: null,
    setsLocation: false,
  };
  for (const element of elementsOf(parse(html))) {
    const attribute = (name: string) => element.attrs.find((attr) => attr.name === name)?.value ?? '';
    if (element.tagName === 'meta' && attribute('http-equiv').toLowerCase() === 'refresh') {
      found.refresh ??= parseRefresh(attribute('content')) ?? null;
    } else if (
      element.tagName === 'link' &&
      attribute('rel').toLowerCase().split(/\s+/).includes('canonical')
    ) {
      found.canonical ??= attribute('href');
    } else if (element.tagName === 'script' && attribute('src') === '') {
      found.setsLocation ||= setsLocation(textOf(element));
    }
  }
  return found;
}

// An own stack instead of recursion: a page may nest 200,000 elements.
function* elementsOf(document: DefaultTreeAdapterTypes.Document): Generator<DefaultTreeAdapterTypes.Element> {
  const stack: DefaultTreeAdapterTypes.Node[] = [document];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (defaultTreeAdapter.isElementNode(node)) yield node;
    if ('childNodes' in node) for (const child of node.childNodes.toReversed()) stack.push(child);
  }
}

function textOf(element: DefaultTreeAdapterTypes.Element): string {
  return element.childNodes.map((node) => (defaultTreeAdapter.isTextNode(node) ? node.value : '')).join('');
}

/** True for a script that assigns the address outside of any function or block: what runs as the page loads. */
function setsLocation(script: string): boolean {
  const topLevel = dropBlocks(script.slice(0, 65_536));
  return /(?:^|[;\s(])(?:(?:window|document|self|top|parent)\s*\.\s*)?location\s*(?:(?:\.\s*href\s*)?=\s*[^=\s]|\.\s*(?:replace|assign)\s*\()/.test(
    topLevel,
  );
}

function dropBlocks(script: string): string {
  let depth = 0;
  let kept = '';
  for (const character of script) {
    if (character === '{') depth += 1;
    else if (character === '}') depth = Math.max(0, depth - 1);
    else if (depth === 0) kept += character;
  }
  return kept;
}
