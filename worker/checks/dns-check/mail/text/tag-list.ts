import { lengthOf, trimSpaces } from '../../../../mail/ascii.ts';
import { clip, type SyntaxFault } from '../../../../mail/fault.ts';

/** One "name=value" of a tag list; offsets are of the whole text. */
export type Tag = {
  readonly name: string;
  readonly value: string;
  readonly at: number;
  readonly valueAt: number;
};

/** A tag list (RFC 6376 §3.2), as DKIM, DMARC and BIMI use it. Tags that could be read are there even where others are at fault. */
export type TagList = { readonly tags: readonly Tag[]; readonly faults: readonly SyntaxFault[] };

/**
 * Reads "a=1; b=2;" with spaces around every part. Names keep their case: they are case-sensitive.
 * Repeated names are all there; what they mean is the caller's to say.
 */
export function parseTagList(text: string): TagList {
  const tags: Tag[] = [];
  const faults: SyntaxFault[] = [];
  let at = 0;
  const pieces = text.split(';');
  for (const [index, piece] of pieces.entries()) {
    if (index >= pieceLimit) {
      faults.push({ at, term: ';', problem: `only ${pieceLimit} tags are read` });
      break;
    }
    const read = parsePiece(piece, at, index === pieces.length - 1);
    if (read.tag) tags.push(read.tag);
    if (read.fault) faults.push(read.fault);
    at += piece.length + 1;
  }
  return { tags, faults };
}

/** No standard names more than a dozen tags; a hostile record has tens of thousands. */
const pieceLimit = 200;

type ReadTag = { readonly tag?: Tag; readonly fault?: SyntaxFault };

function parsePiece(piece: string, start: number, isLast: boolean): ReadTag {
  const { text, skipped } = trimSpaces(piece);
  const at = start + skipped;
  const wrong = (offset: number, problem: string): SyntaxFault => ({
    at: offset,
    term: clip(text, 80),
    problem,
  });
  if (text === '')
    return isLast ? {} : { fault: { at, term: ';', problem: 'there is nothing between two semicolons' } };
  const equals = text.indexOf('=');
  if (equals < 0) return { fault: wrong(at, 'a tag needs an equals sign') };
  const name = trimSpaces(text.slice(0, equals)).text;
  const slip = lengthOf(/^[a-z][a-z0-9_]*/i, name);
  if (/^["']/.test(name))
    return { fault: wrong(at, 'there is a quote, which is part of the text and belongs to no tag') };
  if (slip < name.length || name === '')
    return { fault: wrong(at + slip, `"${clip(name, 40)}" is not a tag’s name`) };
  const value = trimSpaces(text.slice(equals + 1));
  const valueAt = at + equals + 1 + value.skipped;
  const tag = { name, value: value.text, at, valueAt };
  const odd = value.text.search(/[^\t -~]/);
  // The tag is there all the same: an sp with such a value is not valid, which is more than absent.
  return odd < 0
    ? { tag }
    : { tag, fault: { at: valueAt + odd, term: name, problem: 'a character that is not visible ASCII' } };
}

/** Names that stand more than once, each with its first and second place. */
export function findRepeated(tags: readonly Tag[]): { readonly first: Tag; readonly second: Tag }[] {
  const firsts = new Map<string, Tag>();
  const repeated = new Map<string, { first: Tag; second: Tag }>();
  for (const tag of tags) {
    const first = firsts.get(tag.name);
    if (first && !repeated.has(tag.name)) repeated.set(tag.name, { first, second: tag });
    if (!first) firsts.set(tag.name, tag);
  }
  return [...repeated.values()];
}

/**
 * Whether a record begins with its version: the name in the case given or upper case, spaces around the equals sign, then a semicolon or the end.
 * @param version e.g. "DMARC1", case-sensitive
 */
export function beginsWithVersion(text: string, version: string): boolean {
  return new RegExp(`^[vV][ \\t]*=[ \\t]*${version}[ \\t]*(?:;|$)`).test(text);
}
