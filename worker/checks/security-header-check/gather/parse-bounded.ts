import { type DefaultTreeAdapterMap, defaultTreeAdapter, Parser, type TreeAdapter } from 'parse5';
import { takeTurn } from '../../../probes/turns.ts';

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

/** The same, each piece in its turn of the event loop: a page of 2 MB keeps it busy for a quarter of a second. */
export async function parseInTurns(html: string): Promise<BoundedTree> {
  const { document, write } = openParser();
  for (let at = 0; ; at += pieceLength) {
    const isLast = at + pieceLength >= html.length;
    const cut = write(html.slice(at, at + pieceLength), isLast);
    if (cut !== null || isLast) return { document, cut };
    await takeTurn();
  }
}

export type BoundedTree = {
  readonly document: DefaultTreeAdapterMap['document'];
  readonly cut: string | null;
};

/** A few milliseconds of work. */
const pieceLength = 32_768;

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
