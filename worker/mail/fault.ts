/** Where a text breaks its grammar: offset from 0, the word it is in, and what is wrong, as a sentence's end. */
export type SyntaxFault = { readonly at: number; readonly term: string; readonly problem: string };

/** A text that is not of its grammar at all. */
export type Faulty = { readonly faults: readonly [SyntaxFault, ...SyntaxFault[]] };

/** As it is shown: the first character is 1, the word cut to 80 characters. */
export function showFault({ at, term, problem }: SyntaxFault): {
  position: number;
  term: string;
  problem: string;
} {
  return { position: at + 1, term: clip(term, 80), problem };
}

/** So many faults of a record are shown; a hostile one has tens of thousands. */
const shownLimit = 50;

/** The first of them, as they are shown. */
export function showFaults(faults: readonly SyntaxFault[]): ReturnType<typeof showFault>[] {
  return faults.slice(0, shownLimit).map((fault) => showFault(fault));
}

/** A text as a person reads it, cut to a length, with a mark. */
export function clip(octets: string, length = 200): string {
  const text = readable(octets);
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

// Records are read octet by octet; a curly quote is three of them. Text that is no UTF-8 stays as it is.
function readable(text: string): string {
  if (!/[\u0080-\u00ff]/.test(text) || /[^\u0000-\u00ff]/.test(text)) return text;
  const decoded = Buffer.from(text, 'latin1').toString('utf8');
  return decoded.includes('\ufffd') ? text : decoded;
}

/** Parts what a parser gave into the value and the faults; nothing was parsed: neither. */
export function settle<P extends object>(
  parsed: P | null,
): { value: Exclude<P, Faulty> | null; faults: readonly SyntaxFault[] } {
  if (parsed === null) return { value: null, faults: [] };
  if ('faults' in parsed) return { value: null, faults: (parsed as Faulty).faults };
  return { value: parsed as Exclude<P, Faulty>, faults: [] };
}
