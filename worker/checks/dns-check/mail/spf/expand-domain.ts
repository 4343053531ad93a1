import { printName } from '../../../../dns/name.ts';
import type { DomainSpec, MacroToken } from './parse-domain-spec.ts';

/** What each macro letter stands for, in lower case; a letter that is left out depends on a message that is not known. */
export type MacroValues = { readonly [letter: string]: string };

/**
 * The name a domain-spec leads to (RFC 7208 §7.3), as names are printed: in lower case, without a last dot, cut from the left to 253 octets,
 * octets that are no visible character escaped (RFC 1035 §5.1).
 * @returns null where it depends on the message
 */
export function expandDomain(spec: DomainSpec, values: MacroValues): string | null {
  const text = expandText(spec.tokens, values);
  return text === null ? null : printName({ labels: cutName(text.toLowerCase()).split('.') });
}

/** A macro-string with its macros expanded, each octet one character; null where it depends on the message. */
export function expandText(tokens: readonly MacroToken[], values: MacroValues): string | null {
  const parts = tokens.map((token) => (token.kind === 'text' ? token.text : expandMacro(token, values)));
  return parts.includes(null) ? null : parts.join('');
}

function expandMacro(macro: Extract<MacroToken, { kind: 'macro' }>, values: MacroValues): string | null {
  const letter = macro.letter.toLowerCase();
  const value = Object.hasOwn(values, letter) ? values[letter] : undefined;
  if (value === undefined) return null;
  const parts = splitAt(value, macro.delimiters === '' ? '.' : macro.delimiters);
  const ordered = macro.reversed ? parts.toReversed() : parts;
  const text = (macro.keep === 0 ? ordered : ordered.slice(-macro.keep)).join('.');
  return letter === macro.letter ? text : escapeForUrl(text);
}

// All but the unreserved characters of RFC 3986 §2.3.
function escapeForUrl(octets: string): string {
  return octets.replace(
    /[^A-Za-z0-9._~-]/g,
    (octet) => `%${octet.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

function splitAt(text: string, delimiters: string): string[] {
  const parts = [''];
  for (const character of text) {
    if (delimiters.includes(character)) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

function cutName(name: string): string {
  let cut = name.endsWith('.') ? name.slice(0, -1) : name;
  while (cut.length > 253 && cut.includes('.')) cut = cut.slice(cut.indexOf('.') + 1);
  return cut;
}
