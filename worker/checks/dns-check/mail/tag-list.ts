import { findUnprintable, isBlank, isDigit, isLetter, scanWhile, trimBlanks } from './ascii.ts';
import { clip, type Fault } from './fault.ts';

/** One "name=value" of a tag list; offsets are of the whole text. */
export type Tag = {
  readonly name: string;
  readonly value: string;
  readonly at: number;
  readonly valueAt: number;
};

/** A tag list (RFC 6376 §3.2), as DKIM, DMARC and BIMI use it. Tags that could be read are there even where others are at fault. */
export type TagList = { readonly tags: readonly Tag[]; readonly faults: readonly Fault[] };

/**
 * Reads "a=1; b=2;" with blanks around every part. Names keep their case: they are case-sensitive.
 * Repeated names are all there; what they mean is the caller's to say.
 */
export function parseTagList(text: string): TagList {
  const tags: Tag[] = [];
  const faults: Fault[] = [];
  let at = 0;
  const pieces = text.split(';');
  for (const [index, piece] of pieces.entries()) {
    const tag = parsePiece(piece, at, index === pieces.length - 1);
    if (tag !== null && 'problem' in tag) faults.push(tag);
    else if (tag !== null) tags.push(tag);
    at += piece.length + 1;
  }
  return { tags, faults };
}

function parsePiece(piece: string, start: number, isLast: boolean): Tag | Fault | null {
  const { text, skipped } = trimBlanks(piece);
  const at = start + skipped;
  if (text === '')
    return isLast ? null : { at, term: ';', problem: 'there is nothing between two semicolons' };
  const equals = text.indexOf('=');
  if (equals < 0) return { at, term: clip(text, 80), problem: 'a tag needs an equals sign' };
  const name = trimBlanks(text.slice(0, equals)).text;
  const value = trimBlanks(text.slice(equals + 1));
  const slip = isLetter(name[0]) ? scanWhile(name, 0, isNameSign) : 0;
  if (slip < name.length || name === '')
    return { at: at + slip, term: clip(text, 80), problem: `"${clip(name, 40)}" is not a tag’s name` };
  const valueAt = at + equals + 1 + value.skipped;
  const odd = findUnprintable(value.text.replaceAll('\t', ' '));
  if (odd >= 0) return { at: valueAt + odd, term: name, problem: 'a character that is not visible ASCII' };
  return { name, value: value.text, at, valueAt };
}

function isNameSign(sign: string | undefined): boolean {
  return isLetter(sign) || isDigit(sign) || sign === '_';
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
 * Whether a record begins with its version: the name in the case given or upper case, blanks around the sign, then a semicolon or the end.
 * @param version e.g. "DMARC1", case-sensitive
 */
export function beginsWithVersion(text: string, version: string): boolean {
  if (text[0] !== 'v' && text[0] !== 'V') return false;
  const equals = scanWhile(text, 1, isBlank);
  if (text[equals] !== '=') return false;
  const start = scanWhile(text, equals + 1, isBlank);
  if (!text.startsWith(version, start)) return false;
  const end = scanWhile(text, start + version.length, isBlank);
  return end === text.length || text[end] === ';';
}
