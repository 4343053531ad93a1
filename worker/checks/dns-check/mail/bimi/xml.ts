import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { type Malformed, malformed } from '#shared/model/verdict';
import { clip, type SyntaxFault, type Faulty } from '../../../../mail/fault.ts';

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

/** Deeper than any drawing; the parser has no limit of its own. */
const depthLimit = 256;

/** Unwinds the parser at the first fault; it would go on otherwise. */
class FaultFound extends Error {}

/** An element while it is read. */
type Growing = { -readonly [K in keyof XmlElement]: XmlElement[K] };

type XmlState = {
  readonly elements: Growing[];
  readonly open: Growing[];
  readonly instructions: { target: string; at: number }[];
  hasEntities: boolean;
};

/** Reads XML 1.0 by saxes, up to its first fault. */
export function parseXml(text: string): Xml | Faulty {
  const parser = new SaxesParser({ position: false });
  const reading: XmlState = { elements: [], open: [], instructions: [], hasEntities: false };
  listen(parser, text, reading);
  try {
    parser.write(text).close();
  } catch (error) {
    if (!(error instanceof FaultFound)) throw error;
    return { faults: [faultAt(text, parser.position, error.message)] };
  }
  const { elements, instructions, hasEntities } = reading;
  const [root] = elements;
  if (!root) return { faults: [faultAt(text, 0, 'it has no element')] };
  return { root, elements, instructions, hasEntities };
}

function faultAt(text: string, position: number, message: string): SyntaxFault {
  const at = Math.min(Math.max(position, 0), text.length);
  return { at, term: clip(text.slice(at, at + 80), 80), problem: clip(message.replace(/\.$/, ''), 120) };
}

function listen(parser: SaxesParser, text: string, reading: XmlState): void {
  const { elements, open, instructions } = reading;
  // A tag or an instruction begins at the "<" before the place where the parser has read its name.
  const start = () => text.lastIndexOf('<', Math.max(parser.position - 1, 0));
  const addText = (more: string): void => {
    const inner = open.at(-1);
    if (inner) inner.text += more;
  };
  parser.on('error', ({ message }) => {
    throw new FaultFound(
      message === 'undefined entity.' ? 'it uses an entity that is not declared' : message,
    );
  });
  parser.on('doctype', (doctype) => declare(parser, doctype, reading));
  parser.on('processinginstruction', ({ target }) => instructions.push({ target, at: start() }));
  parser.on('opentagstart', ({ name }) => {
    if (open.length >= depthLimit) throw new FaultFound(`elements are nested more than ${depthLimit} deep`);
    const element = { name, attributes: new Map(), parent: open.at(-1) ?? null, text: '', at: start() };
    elements.push(element);
    open.push(element);
  });
  parser.on('opentag', ({ attributes }: SaxesTagPlain) => {
    const element = open.at(-1);
    if (element) element.attributes = new Map(Object.entries(attributes));
  });
  parser.on('closetag', () => open.pop());
  parser.on('text', addText);
  parser.on('cdata', addText);
}

// The parser reads nothing of a DOCTYPE. An entity that it declares stays as it is written, and its use is noted.
function declare(parser: SaxesParser, doctype: string, reading: XmlState): void {
  const declared = readDoctype(doctype);
  if ('malformed' in declared) throw new FaultFound(declared.malformed);
  for (const name of declared.entities) {
    if (name in parser.ENTITIES) continue;
    Object.defineProperty(parser.ENTITIES, name, {
      get: () => {
        reading.hasEntities = true;
        return `&${name};`;
      },
    });
  }
}

const nameForm = String.raw`[A-Za-z_:\u00c0-\uffff][\w:.\-\u00b7-\uffff]*`;
const literalForm = `(?:"[^"]*"|'[^']*')`;
const doctypeForm = new RegExp(
  String.raw`^\s+${nameForm}(?:\s+(?:SYSTEM\s+${literalForm}|PUBLIC\s+${literalForm}\s+${literalForm}))?\s*(?:\[([^]*)\]\s*)?$`,
);
const entityForm = new RegExp(String.raw`<!ENTITY\s+(${nameForm})\s`, 'g');

/**
 * Reads what a DOCTYPE declares (XML 1.0 §2.8): the names of its entities, never their values.
 * @param doctype what stands between "<!DOCTYPE" and its ">"
 */
export function readDoctype(doctype: string): { readonly entities: readonly string[] } | Malformed {
  const found = doctypeForm.exec(doctype);
  if (!found) return malformed('the DOCTYPE is not one of XML');
  return { entities: [...(found[1] ?? '').matchAll(entityForm)].map(([, declared = '']) => declared) };
}
