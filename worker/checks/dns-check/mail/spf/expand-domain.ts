import type { DomainSpec, MacroToken } from './parse-domain-spec.ts';

/** What a macro stands for, as far as it is known without a message: `d` the domain of the record, `o` the domain of the sender. */
export type MacroValues = { readonly d: string; readonly o: string };

/**
 * The name a domain-spec leads to (RFC 7208 §7.3), in lower case without a last dot, cut from the left to 253 characters.
 * @returns null where it depends on the message
 */
export function expandDomain(spec: DomainSpec, values: MacroValues): string | null {
  const parts: string[] = [];
  for (const token of spec.tokens) {
    const part = token.kind === 'text' ? token.text : expandMacro(token, values);
    if (part === null) return null;
    parts.push(part);
  }
  return cutName(parts.join('').toLowerCase());
}

function expandMacro(macro: Extract<MacroToken, { kind: 'macro' }>, values: MacroValues): string | null {
  const letter = macro.letter.toLowerCase();
  if (letter !== 'd' && letter !== 'o') return null;
  const parts = splitAt(values[letter], macro.delimiters === '' ? '.' : macro.delimiters);
  const ordered = macro.reversed ? parts.toReversed() : parts;
  const text = (macro.keep === 0 ? ordered : ordered.slice(-macro.keep)).join('.');
  return letter === macro.letter ? text : encodeURIComponent(text);
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
