import { type DefaultTreeAdapterMap, defaultTreeAdapter, Parser, type TreeAdapter } from 'parse5';
import type { Work } from '../../../probes/work.ts';
import { readInSlices } from '../../../web/page-tags.ts';

const nodeLimit = 50_000;
// Browsers stop at 512; deeper trees make each end tag search a longer stack, which is quadratic in a hostile page.
const depthLimit = 600;

class TooComplex extends Error {
  override readonly name = 'TooComplex';
}

/**
 * Builds the tree of a page, and stops where it grows beyond what any real page has. Without bounds half a megabyte of
 * unclosed formatting elements makes hundreds of millions of nodes (measured: the heap is full after 30 s).
 * @returns the tree as far as it was built, the head first, and why it is not whole
 */
export function parseBounded(html: string): BoundedTree {
  const { document, write } = openParser();
  return { document, cut: write(html, true) };
}

/** The same, slice by slice as far as the run's work reaches. */
export async function parseInTurns(html: string, work: Work): Promise<BoundedTree> {
  const { document, write } = openParser();
  let cut: string | null = null;
  const spent = await readInSlices(html, work, (slice, isLast) => {
    cut = write(slice, isLast);
    return cut !== null;
  });
  return { document, cut: spent ?? cut };
}

export type BoundedTree = {
  readonly document: DefaultTreeAdapterMap['document'];
  readonly cut: string | null;
};

function openParser() {
  const document = defaultTreeAdapter.createDocument();
  const parser = new Parser({ treeAdapter: boundedAdapter(document) });
  /** Parses more of the page; gives why the tree is not whole, or null. */
  const write = (html: string, isLast: boolean): string | null => {
    try {
      parser.tokenizer.write(html, isLast);
      return null;
    } catch (error) {
      if (!(error instanceof TooComplex)) throw error;
      return error.message;
    }
  };
  return { document, write };
}

function boundedAdapter(document: DefaultTreeAdapterMap['document']): TreeAdapter<DefaultTreeAdapterMap> {
  const depths = new WeakMap<object, number>();
  let nodes = 0;
  const count = () => {
    nodes += 1;
    if (nodes > nodeLimit) throw new TooComplex(`it has more than ${nodeLimit} elements`);
  };
  const sink = (parent: object, node: object) => {
    const depth = (depths.get(parent) ?? 0) + 1;
    if (depth > depthLimit) throw new TooComplex(`it nests deeper than ${depthLimit} elements`);
    depths.set(node, depth);
  };
  return {
    ...defaultTreeAdapter,
    createDocument: () => document,
    createElement(tagName, namespaceURI, attrs) {
      count();
      return defaultTreeAdapter.createElement(tagName, namespaceURI, attrs);
    },
    appendChild(parent, node) {
      sink(parent, node);
      defaultTreeAdapter.appendChild(parent, node);
    },
    insertBefore(parent, node, reference) {
      sink(parent, node);
      defaultTreeAdapter.insertBefore(parent, node, reference);
    },
  };
}
