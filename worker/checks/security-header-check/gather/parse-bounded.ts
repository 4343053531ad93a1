import { type DefaultTreeAdapterMap, defaultTreeAdapter, parse, type TreeAdapter } from 'parse5';

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
export function parseBounded(html: string): {
  readonly document: DefaultTreeAdapterMap['document'];
  readonly cut: string | null;
} {
  const document = defaultTreeAdapter.createDocument();
  try {
    parse(html, { treeAdapter: boundedAdapter(document) });
    return { document, cut: null };
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error;
    return { document, cut: error.message };
  }
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
