import { type DefaultTreeAdapterMap, type ParserError, parse } from 'parse5';

/** One piece of a document as an independent reader sees it: its place in the structure, and the text there. */
export type Piece = { readonly shape: string; readonly text: string };

type Node = DefaultTreeAdapterMap['node'];

/** Elements, attributes, comments and texts of a page in order, by the HTML Standard's parser; throws where that met an error. */
export function readHtml(text: string): Piece[] {
  const errors: ParserError[] = [];
  const document = parse(text, { onParseError: (error) => errors.push(error) });
  if (errors[0]) throw new Error(`${errors[0].code} at ${errors[0].startOffset}`);
  return readNode(document, '');
}

function readNode(node: Node, path: string): Piece[] {
  if (node.nodeName === '#text')
    return [{ shape: `${path} #text`, text: (node as DefaultTreeAdapterMap['textNode']).value }];
  if (node.nodeName === '#comment') return [{ shape: `${path} #comment`, text: '' }];
  const here = `${path}/${node.nodeName}`;
  const attributes =
    'attrs' in node ? node.attrs.map(({ name, value }) => ({ shape: `${here}@${name}`, text: value })) : [];
  const children = 'childNodes' in node ? node.childNodes.flatMap((child) => readNode(child, here)) : [];
  return [{ shape: here, text: '' }, ...attributes, ...children];
}

const name = /[A-Za-z_:][\w:.-]*/y;
const characters = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;

/** Elements, attributes and texts of a well-formed XML 1.0 document without DTD, CDATA and comments; throws for anything else. */
export function readXml(text: string): Piece[] {
  if (!characters.test(text)) throw new Error('a character that XML does not allow');
  const pieces: Piece[] = [];
  const open: string[] = [];
  let at = take(text, 0, /<\?xml version="1\.0" encoding="UTF-8"\?>\n/y).end;
  let roots = 0;
  while (at < text.length) {
    if (text.startsWith('</', at)) {
      const closed = take(text, at + 2, name);
      if (open.pop() !== closed.text) throw new Error(`</${closed.text}> closes nothing`);
      at = take(text, closed.end, />/y).end;
    } else if (text[at] === '<') {
      if (open.length === 0) roots += 1;
      const tag = readTag(text, at + 1, open);
      pieces.push(...tag.pieces);
      at = tag.end;
    } else {
      const run = take(text, at, /[^<]+/y);
      if (run.text.includes(']]>')) throw new Error(']]> in text');
      if (open.length === 0 && run.text.trim() !== '') throw new Error('text outside of the root');
      pieces.push({ shape: `${open.join('/')} #text`, text: unescape(run.text) });
      at = run.end;
    }
  }
  if (open.length > 0 || roots !== 1) throw new Error('not one closed root');
  return pieces;
}

function readTag(text: string, start: number, open: string[]): { pieces: Piece[]; end: number } {
  const tag = take(text, start, name);
  const here = [...open, tag.text].join('/');
  const pieces: Piece[] = [{ shape: here, text: '' }];
  const names = new Set<string>();
  let at = tag.end;
  while (text[at] === ' ') {
    const attribute = take(text, at + 1, name);
    if (names.has(attribute.text)) throw new Error(`${attribute.text} twice`);
    names.add(attribute.text);
    const value = take(text, attribute.end, /="[^"<\t\n\r]*"/y);
    pieces.push({ shape: `${here}@${attribute.text}`, text: unescape(value.text.slice(2, -1)) });
    at = value.end;
  }
  const end = take(text, at, /\/?>/y);
  if (end.text === '>') open.push(tag.text);
  return { pieces, end: end.end };
}

function unescape(text: string): string {
  return text.replace(/&(?:(amp|lt|gt|quot)|#(\d+));|&/g, (_, named?: string, code?: string) => {
    if (code !== undefined) return String.fromCodePoint(Number(code));
    const value = named === undefined ? undefined : { amp: '&', lt: '<', gt: '>', quot: '"' }[named];
    if (value === undefined) throw new Error('a bare ampersand');
    return value;
  });
}

function take(text: string, at: number, pattern: RegExp): { text: string; end: number } {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  if (!found) throw new Error(`expected ${pattern.source} at ${at}: ${text.slice(at, at + 40)}`);
  return { text: found[0], end: at + found[0].length };
}

/** The cells of an RFC 4180 file, row by row; throws where a quote stands wrong. */
export function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  let at = 0;
  while (at < text.length) {
    const quoted = text[at] === '"';
    const cell = take(text, at, quoted ? /"[^"]*(?:""[^"]*)*"/y : /[^",\r\n]*/y);
    rows.at(-1)?.push(quoted ? cell.text.slice(1, -1).replaceAll('""', '"') : cell.text);
    const end = take(text, cell.end, /,|\r\n/y);
    if (end.text !== ',' && end.end < text.length) rows.push([]);
    at = end.end;
  }
  return rows;
}

/**
 * A Markdown text as GitHub reads it, as far as we write it: fenced blocks, code spans, links with `<address>`, and the rest.
 * Throws where text outside of code holds a sign that could mean something.
 */
export function readMarkdown(text: string): Piece[] {
  const pieces: Piece[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const fence = /^`{3,}$/.exec(line)?.[0];
    if (fence === undefined) {
      pieces.push(...readLine(line));
      continue;
    }
    const end = lines.findIndex(
      (other, index) => index > at && /^`+$/.test(other) && other.length >= fence.length,
    );
    if (end === -1) throw new Error('a fence is not closed');
    pieces.push({ shape: 'fence', text: lines.slice(at + 1, end).join('\n') });
    at = end;
  }
  return pieces;
}

function readLine(line: string): Piece[] {
  const { prose, spans } = splitCodeSpans(line);
  const links = [...prose.matchAll(/\]\(<([^<>]*)>\)/g)].map(([, address = '']) => address);
  const bare = prose.replace(/\]\(<[^<>]*>\)/g, ']()');
  const [, start = '', rest = ''] =
    /^((?:#{1,3} |- |\*\*Fix:\*\* |\*\*Score: |See |Evidence:)?)(.*)$/su.exec(bare) ?? [];
  const isTable = line.startsWith('|');
  const odd = /[<>_~`@#\\=+${}^]|&\w|https?:|www\.|:(?!\d\d:)\w+:/i.exec(rest);
  if (odd) throw new Error(`${JSON.stringify(odd[0])} in ${JSON.stringify(line.slice(0, 200))}`);
  // A list's mark stands alone (CommonMark §5.2): "1.1" begins none.
  if (/^(?:(?:\d+[.)]|[-+*])(?:\s|$)|>|\s)/.test(rest) || (/\|/.test(rest) && !isTable))
    throw new Error(`a block begins: ${line.slice(0, 200)}`);
  // What is left are words; only brackets and stars could still mean something, and they must be the template's.
  const signs = rest.replace(/[^[\]*|]/gu, '');
  return [
    { shape: `line ${start}${signs}`, text: [rest, ...spans].join(' ') },
    ...links.map((text) => ({ shape: 'link', text })),
  ];
}

/** CommonMark §6.1: a run of backticks opens a span that the next run of the same length closes. */
function splitCodeSpans(line: string): { prose: string; spans: string[] } {
  const spans: string[] = [];
  let prose = '';
  let at = 0;
  for (;;) {
    const open = /`+/g;
    open.lastIndex = at;
    const fence = open.exec(line);
    if (!fence) return { prose: prose + line.slice(at), spans };
    const close = [...line.slice(open.lastIndex).matchAll(/`+/g)].find(
      ([run]) => run.length === fence[0].length,
    );
    if (!close) return { prose: prose + line.slice(at), spans };
    const end = open.lastIndex + close.index;
    const inside = line.slice(open.lastIndex, end);
    prose += `${line.slice(at, fence.index)}C`;
    spans.push(/^ .*[^ ].* $/su.test(inside) ? inside.slice(1, -1) : inside);
    at = end + fence[0].length;
  }
}
