import type { Token } from 'parse5';

/** Follows which tags of a page stand in SVG or MathML, without a tree of them. */
export type ForeignContent = {
  /** Takes a start tag. @returns whether it is an element of SVG or MathML */
  start(tag: Token.TagToken): boolean;
  end(name: string): void;
  /** Whether what comes next stands in SVG or MathML. */
  isInside(): boolean;
};

type Space = 'svg' | 'math';
type Opened = { readonly name: string; readonly space: Space | undefined; readonly isForeign: boolean };

/** As deep as browsers nest elements (measured in Chromium 153). */
const depthLimit = 512;

/** Elements inside of which the rules of HTML count again (HTML Standard, "HTML integration point" and "MathML text integration point"). */
const islands: { readonly [S in Space]: ReadonlySet<string> } = {
  svg: new Set(['foreignobject', 'desc', 'title']),
  math: new Set(['mi', 'mo', 'mn', 'ms', 'mtext']),
};

/** Start tags that end SVG and MathML (HTML Standard, "the rules for parsing tokens in foreign content"). */
const breakouts = new Set(
  `b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby s
  small span strong strike sub sup table tt u ul var`.split(/\s+/),
);

/** Opens the tracker at the beginning of a page. */
export function openForeignContent(): ForeignContent {
  const open: Opened[] = [];
  const isInside = () => open.at(-1)?.isForeign === true;
  const leave = () => {
    while (isInside()) open.pop();
  };
  const enter = ({ tagName, selfClosing }: Token.TagToken, space: Space, isForeign: boolean) => {
    if (!selfClosing && open.length < depthLimit) open.push({ name: tagName, space, isForeign });
  };
  return {
    isInside,
    start(tag) {
      const { tagName } = tag;
      if (isInside() && isBreakout(tag)) leave();
      const isForeign = isInside();
      if (tagName === 'svg' || tagName === 'math') {
        enter(tag, tagName, true);
        return true;
      }
      const space = open.at(-1)?.space;
      if (isForeign && space && isIsland(tag, space)) enter(tag, space, false);
      // What is still open in a template ends with it.
      if (!isForeign && tagName === 'template')
        open.push({ name: tagName, space: undefined, isForeign: false });
      return isForeign;
    },
    end(name) {
      if (isInside() && (name === 'p' || name === 'br')) return leave();
      const at = open.findLastIndex((each) => each.name === name);
      if (at >= 0) open.length = at;
    },
  };
}

function isBreakout(tag: Token.TagToken): boolean {
  if (tag.tagName !== 'font') return breakouts.has(tag.tagName);
  return tag.attrs.some(({ name }) => name === 'color' || name === 'face' || name === 'size');
}

function isIsland({ tagName, attrs }: Token.TagToken, space: Space): boolean {
  if (tagName !== 'annotation-xml' || space !== 'math') return islands[space].has(tagName);
  const encoding = attrs.find(({ name }) => name === 'encoding')?.value.toLowerCase();
  return encoding === 'text/html' || encoding === 'application/xhtml+xml';
}
