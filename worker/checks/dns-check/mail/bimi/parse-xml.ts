import { scanWhile } from '../text/ascii.ts';
import { clip, type Fault, type Faulty } from '../text/fault.ts';
import { decodeReferences } from './decode-references.ts';
import { skipDoctype } from './skip-doctype.ts';

/** An element, in the order of the document; `at` is the offset of its "<". */
export type XmlElement = {
  /** As written, with its prefix. */
  readonly name: string;
  /** Values with their references decoded. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly parent: XmlElement | null;
  /** Its own characters, those of its children left out. */
  readonly text: string;
  readonly at: number;
};

/** A well-formed document. What a document declares as its own entities is never expanded. */
export type Xml = {
  readonly root: XmlElement;
  readonly elements: readonly XmlElement[];
  /** Targets of its processing instructions, the XML declaration left out. */
  readonly instructions: readonly { readonly target: string; readonly at: number }[];
  /** It uses entities of its own, so that not all of it could be read. */
  readonly hasEntities: boolean;
};

/** Deeper than any drawing; the walk up from an element stays short. */
const depthLimit = 256;

/** An element while it is read. */
type Growing = { -readonly [K in keyof XmlElement]: XmlElement[K] };

type Reader = {
  readonly text: string;
  /** Behind the byte order mark. */
  readonly start: number;
  at: number;
  readonly elements: Growing[];
  readonly open: Growing[];
  readonly instructions: { target: string; at: number }[];
  hasDoctype: boolean;
  declaresEntities: boolean;
  hasEntities: boolean;
};

/** Reads XML 1.0, as far as it takes to know elements, attributes and text. One pass, no recursion; the first fault ends the reading. */
export function parseXml(text: string): Xml | Faulty {
  const start = text.startsWith('\ufeff') ? 1 : 0;
  const reader: Reader = {
    text,
    start,
    at: start,
    elements: [],
    open: [],
    instructions: [],
    hasDoctype: false,
    declaresEntities: false,
    hasEntities: false,
  };
  while (reader.at < text.length) {
    const fault = readText(reader) ?? (reader.at < text.length ? readMarkup(reader) : null);
    if (fault !== null) return { faults: [fault] };
  }
  const [root] = reader.elements;
  const unclosed = reader.open.at(-1);
  if (unclosed)
    return { faults: [faultAt(reader, unclosed.at, `the element ${shown(unclosed.name)} is not closed`)] };
  if (!root) return { faults: [faultAt(reader, 0, 'it has no element')] };
  const { elements, instructions, hasEntities } = reader;
  return { root, elements, instructions, hasEntities };
}

function faultAt({ text }: Reader, at: number, problem: string): Fault {
  return { at, term: clip(text.slice(at, at + 80), 80), problem };
}

function shown(name: string): string {
  return `<${clip(name, 40)}>`;
}

// Up to the next "<", or the end.
function readText(reader: Reader): Fault | null {
  const { text, at: start } = reader;
  const next = text.indexOf('<', start);
  reader.at = next < 0 ? text.length : next;
  const raw = text.slice(start, reader.at);
  const inner = reader.open.at(-1);
  if (!inner) return isBlankText(raw) ? null : faultAt(reader, start, 'there is text outside of the root');
  return addText(reader, inner, raw, start);
}

function addText(reader: Reader, element: Growing, raw: string, at: number): Fault | null {
  const cdataEnd = raw.indexOf(']]>');
  if (cdataEnd >= 0) return faultAt(reader, at + cdataEnd, 'a “]]>” ends nothing');
  const decoded = decode(reader, raw, at);
  if (typeof decoded !== 'string') return decoded;
  element.text += decoded;
  return null;
}

function decode(reader: Reader, raw: string, at: number): string | Fault {
  const { text, unknown, wrongAt } = decodeReferences(raw);
  if (wrongAt !== null) return faultAt(reader, at + wrongAt, 'an “&” begins no reference');
  if (unknown !== null && !reader.declaresEntities)
    return faultAt(reader, at, `the entity &${clip(unknown, 40)}; is not declared`);
  if (unknown !== null) reader.hasEntities = true;
  return text;
}

function readMarkup(reader: Reader): Fault | null {
  const { text, at } = reader;
  if (text.startsWith('<!--', at)) return skipComment(reader);
  if (text.startsWith('<?', at)) return readInstruction(reader);
  if (text.startsWith('<![CDATA[', at)) return readCdata(reader);
  if (text.startsWith('<!DOCTYPE', at)) return readDoctype(reader);
  return text[at + 1] === '/' ? readEndTag(reader) : readStartTag(reader);
}

// The first "--" must end it (XML 1.0 §2.5).
function skipComment(reader: Reader): Fault | null {
  const fault = skipTo(reader, reader.at + 4, '--', 'the comment has no end');
  if (fault !== null) return fault;
  if (reader.text[reader.at] !== '>') return faultAt(reader, reader.at - 2, 'a comment has “--” in it');
  reader.at += 1;
  return null;
}

function skipTo(reader: Reader, from: number, mark: string, problem: string): Fault | null {
  const end = reader.text.indexOf(mark, from);
  if (end < 0) return faultAt(reader, reader.at, problem);
  reader.at = end + mark.length;
  return null;
}

function readInstruction(reader: Reader): Fault | null {
  const { at } = reader;
  const target = readName(reader.text, at + 2);
  if (target === '') return faultAt(reader, at, 'an instruction has no target');
  const isDeclaration = target.toLowerCase() === 'xml';
  if (isDeclaration && at !== reader.start)
    return faultAt(reader, at, 'the XML declaration does not stand first');
  if (!isDeclaration) reader.instructions.push({ target, at });
  return skipTo(reader, at + 2, '?>', 'the instruction has no end');
}

function readCdata(reader: Reader): Fault | null {
  const { at, text } = reader;
  const inner = reader.open.at(-1);
  if (!inner) return faultAt(reader, at, 'there is text outside of the root');
  const fault = skipTo(reader, at + 9, ']]>', 'the CDATA section has no end');
  if (fault === null) inner.text += text.slice(at + 9, reader.at - 3);
  return fault;
}

function readDoctype(reader: Reader): Fault | null {
  const { at } = reader;
  if (reader.elements.length > 0) return faultAt(reader, at, 'a DOCTYPE stands behind the root');
  if (reader.hasDoctype) return faultAt(reader, at, 'there is a second DOCTYPE');
  const { end, hasSubset } = skipDoctype(reader.text, at);
  if (end < 0) return faultAt(reader, at, 'the DOCTYPE has no end');
  reader.hasDoctype = true;
  reader.declaresEntities = hasSubset;
  reader.at = end;
  return null;
}

function readEndTag(reader: Reader): Fault | null {
  const { text, at } = reader;
  const name = readName(text, at + 2);
  const end = scanWhile(text, at + 2 + name.length, isSpace);
  const inner = reader.open.pop();
  if (inner?.name !== name)
    return faultAt(reader, at, inner ? `${shown(inner.name)} is not closed before` : 'it closes nothing');
  if (text[end] !== '>') return faultAt(reader, at, 'the tag has no end');
  reader.at = end + 1;
  return null;
}

function readStartTag(reader: Reader): Fault | null {
  const { text, at, open, elements } = reader;
  const name = readName(text, at + 1);
  if (name === '') return faultAt(reader, at, 'a “<” begins no tag');
  const parent = open.at(-1) ?? null;
  if (parent === null && elements.length > 0) return faultAt(reader, at, 'there is a second root element');
  if (open.length >= depthLimit)
    return faultAt(reader, at, `elements are nested more than ${depthLimit} deep`);
  const attributes = new Map<string, string>();
  const element: Growing = { name, attributes, parent, text: '', at };
  elements.push(element);
  reader.at = at + 1 + name.length;
  const fault = readAttributes(reader, attributes);
  if (fault !== null) return fault;
  const isEmpty = text[reader.at] === '/';
  if (!isEmpty) open.push(element);
  reader.at += isEmpty ? 2 : 1;
  return null;
}

// Up to the ">" or "/>" of the tag.
function readAttributes(reader: Reader, attributes: Map<string, string>): Fault | null {
  const { text, at: start } = reader;
  for (;;) {
    const at = scanWhile(text, reader.at, isSpace);
    const isApart = at > reader.at;
    reader.at = at;
    if (text[at] === '>' || text.startsWith('/>', at)) return null;
    if (!isApart) return faultAt(reader, start, 'the tag has no end');
    const fault = readAttribute(reader, attributes);
    if (fault !== null) return fault;
  }
}

function readAttribute(reader: Reader, attributes: Map<string, string>): Fault | null {
  const { text, at } = reader;
  const name = readName(text, at);
  if (name === '') return faultAt(reader, at, 'an attribute has no name');
  if (attributes.has(name)) return faultAt(reader, at, `the attribute ${clip(name, 40)} is there twice`);
  const equals = scanWhile(text, at + name.length, isSpace);
  const start = scanWhile(text, equals + 1, isSpace);
  const quote = text[start] ?? '';
  const end = quote === '"' || quote === "'" ? text.indexOf(quote, start + 1) : -1;
  if (text[equals] !== '=' || end < 0)
    return faultAt(reader, at, `the attribute ${clip(name, 40)} has no value in quotes`);
  const raw = text.slice(start + 1, end);
  if (raw.includes('<')) return faultAt(reader, at, `the attribute ${clip(name, 40)} has a “<” in its value`);
  const value = decode(reader, raw, start + 1);
  if (typeof value !== 'string') return value;
  attributes.set(name, value);
  reader.at = end + 1;
  return null;
}

function readName(text: string, start: number): string {
  const end = scanWhile(text, start, isNameSign);
  const first = text[start] ?? '';
  return '-.'.includes(first) || (first >= '0' && first <= '9') ? '' : text.slice(start, end);
}

// XML 1.0 §2.3, a little wider beyond ASCII.
function isNameSign(sign: string | undefined): boolean {
  return sign !== undefined && (/[A-Za-z0-9_:.-]/.test(sign) || sign > '\u00b6');
}

function isSpace(sign: string | undefined): boolean {
  return sign === ' ' || sign === '\n' || sign === '\t' || sign === '\r';
}

function isBlankText(text: string): boolean {
  return scanWhile(text, 0, isSpace) === text.length;
}
