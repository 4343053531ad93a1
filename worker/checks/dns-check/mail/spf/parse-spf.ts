import type { SyntaxFault, Faulty } from '../../../../mail/fault.ts';
import { parseTerm, type SpfTerm } from './parse-term.ts';

/** An SPF record (RFC 7208 §12). Terms that could be read are there even where others are at fault. */
export type Spf = {
  readonly text: string;
  readonly terms: readonly SpfTerm[];
  /** Any one makes the whole record a permerror (§4.6). */
  readonly faults: readonly SyntaxFault[];
};

/** True for a TXT record that receivers take for SPF (RFC 7208 §4.5): "v=spf1" in any letter case, then a space or the end. */
export function isSpf(text: string): boolean {
  return text.slice(0, 6).toLowerCase() === 'v=spf1' && (text.length === 6 || text[6] === ' ');
}

/**
 * Reads a record to the letter of RFC 7208 §12, and on after each fault, so that all of them are reported at once.
 * @param text the strings of the TXT record joined without a space, each byte one character
 */
export function parseSpf(text: string): Spf | Faulty {
  if (!isSpf(text))
    return {
      faults: [{ at: 0, term: text.slice(0, 20), problem: 'a record begins with v=spf1 and a space' }],
    };
  const terms: SpfTerm[] = [];
  const faults: SyntaxFault[] = [];
  for (const { word, at } of splitWords(text)) {
    const term = parseTerm(word, at);
    if ('problem' in term) faults.push(term);
    else terms.push(term);
  }
  return { text, terms, faults: [...faults, ...findRepeatedModifiers(terms)].sort((a, b) => a.at - b.at) };
}

/** Prints a record again, one space between the terms. */
export function printSpf(terms: readonly { readonly text: string }[]): string {
  return ['v=spf1', ...terms.map(({ text }) => text)].join(' ');
}

function splitWords(text: string): { word: string; at: number }[] {
  const words: { word: string; at: number }[] = [];
  let at = 6;
  for (const word of text.slice(6).split(' ')) {
    if (word !== '') words.push({ word, at });
    at += word.length + 1;
  }
  return words;
}

// RFC 7208 §6: redirect and exp must not appear more than once each.
function findRepeatedModifiers(terms: readonly SpfTerm[]): SyntaxFault[] {
  return ['redirect', 'exp'].flatMap((name) =>
    terms
      .filter((term) => term.kind === 'modifier' && term.name === name)
      .slice(1)
      .map(({ text, at }) => ({ at, term: text, problem: `${name} is in the record more than once` })),
  );
}
