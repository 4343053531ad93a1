import { isAddress } from '#shared/targets/classify-address';
import { isAllDigits, lengthOf } from '../../../../mail/ascii.ts';
import type { SyntaxFault } from '../../../../mail/fault.ts';

/** A piece of a macro-string (RFC 7208 §7.1): text as it stands, or a macro. */
export type MacroToken =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'macro';
      /** As written: an upper-case letter asks for URL escaping. */
      readonly letter: string;
      /** How many parts from the right are kept; 0 keeps all. */
      readonly keep: number;
      readonly reversed: boolean;
      readonly delimiters: string;
    };

/** A name that may depend on the message. */
export type DomainSpec = { readonly text: string; readonly tokens: readonly MacroToken[] };

const macroLetters = 'slodiphcrtv';

/**
 * Reads a domain-spec (RFC 7208 §7.1): a macro-string that ends in a macro, or in a dot and a top label.
 * @param at where it begins in the record, for the positions of faults
 */
export function parseDomainSpec(text: string, at: number): DomainSpec | SyntaxFault {
  const tokens = parseMacroString(text, at, 'slodiphv');
  if ('problem' in tokens) return tokens;
  if (text === '') return { at, term: text, problem: 'a domain name is missing' };
  return findEndFault(tokens.tokens, text, at) ?? tokens;
}

/**
 * Reads a macro-string (RFC 7208 §7.1).
 * @param letters which macro letters may stand here; c, r and t only in explanations and unknown modifiers
 */
export function parseMacroString(text: string, at: number, letters = macroLetters): DomainSpec | SyntaxFault {
  const tokens: MacroToken[] = [];
  let offset = 0;
  while (offset < text.length) {
    const read = text[offset] === '%' ? readMacro(text, offset, letters) : readText(text, offset);
    if (typeof read === 'string') return { at: at + offset, term: text, problem: read };
    tokens.push(read.token);
    offset = read.end;
  }
  return { text, tokens };
}

type MacroRead = { readonly token: MacroToken; readonly end: number };

function readText(text: string, start: number): MacroRead | string {
  const [run] = /^[!-$&-~]+/.exec(text.slice(start)) ?? [];
  if (run === undefined) return 'a character that is not visible ASCII';
  return { token: { kind: 'text', text: run }, end: start + run.length };
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['%', '%'],
  ['_', ' '],
  ['-', '%20'],
]);

function readMacro(text: string, start: number, letters: string): MacroRead | string {
  const character = text[start + 1] ?? '';
  const escape = escapes.get(character);
  // An escape counts as a macro where the grammar asks for one at the end; it is kept apart from text by its own token.
  if (escape !== undefined) return { token: { kind: 'text', text: escape }, end: start + 2 };
  if (character !== '{') return 'after % must come {, %, _ or -';
  const close = text.indexOf('}', start + 2);
  if (close < 0) return 'the macro has no closing }';
  const token = readMacroBody(text.slice(start + 2, close), letters);
  return typeof token === 'string' ? token : { token, end: close + 1 };
}

function readMacroBody(body: string, letters: string): MacroToken | string {
  const letter = body[0] ?? '';
  const lower = letter.toLowerCase();
  if (letter === '' || !macroLetters.includes(lower)) return `"${letter}" is not a macro letter`;
  if (!letters.includes(lower)) return `the macro letter "${letter}" stands only in explanations`;
  const digitsEnd = 1 + lengthOf(/^[0-9]+/, body.slice(1));
  const keep = Number(body.slice(1, digitsEnd));
  if (digitsEnd > 1 && keep === 0) return 'the macro keeps no part';
  const reversed = (body[digitsEnd] ?? '').toLowerCase() === 'r';
  const delimiters = body.slice(reversed ? digitsEnd + 1 : digitsEnd);
  const stop = delimiters.search(/[^.\-+,/_=]/);
  if (stop >= 0) return `"${delimiters[stop]}" is not a delimiter of a macro`;
  return { kind: 'macro', letter, keep: Math.min(keep, 255), reversed, delimiters };
}

// domain-end = ( "." toplabel [ "." ] ) / macro-expand
function findEndFault(tokens: readonly MacroToken[], text: string, at: number): SyntaxFault | undefined {
  if (tokens.at(-1)?.kind === 'macro' || endsInEscape(text)) return undefined;
  const tail = text.slice(lastMacroEnd(text));
  const name = tail.endsWith('.') ? tail.slice(0, -1) : tail;
  const dot = name.lastIndexOf('.');
  const label = name.slice(dot + 1);
  if (dot >= 0 && isTopLabel(label)) return undefined;
  const family = familyOfAddress(text);
  const problem =
    family !== undefined
      ? `"${text.slice(0, 60)}" is an address; ${family}: is meant`
      : dot < 0
        ? 'a domain name needs a dot before its last label'
        : `"${label}" is not a top-level label`;
  return { at: at + text.length - tail.length + dot + 1, term: text, problem };
}

// With or without a prefix length.
function familyOfAddress(text: string): 'ip4' | 'ip6' | undefined {
  const [address = ''] = text.split('/');
  return isAddress(address) ? (address.includes(':') ? 'ip6' : 'ip4') : undefined;
}

function endsInEscape(text: string): boolean {
  return lastMacroEnd(text) === text.length && text.length >= 2;
}

// Where the last macro or escape ends: literal text begins there. The text has already been scanned, so every % is a good one.
function lastMacroEnd(text: string): number {
  let end = 0;
  for (let offset = text.indexOf('%'); offset >= 0; offset = text.indexOf('%', end)) {
    end = text[offset + 1] === '{' ? text.indexOf('}', offset) + 1 : offset + 2;
  }
  return end;
}

/** toplabel = ( *alphanum ALPHA *alphanum ) / ( 1*alphanum "-" *( alphanum / "-" ) alphanum ) */
function isTopLabel(label: string): boolean {
  return /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i.test(label) && !isAllDigits(label);
}
