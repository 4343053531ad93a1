/** Names with a capital of their own: acronyms, record types, header fields, products; also what is quoted or a variable. */
const names =
  /^(?:[A-Z][A-Z0-9-]+\b|IPv[46]|[A-Z]\b (?:and|or|record)|[A-Z][a-z]+(?:-[A-Z][a-zA-Z]*)+|(?:DNSSEC|Lighthouse|PageSpeed|Content|Origin|Location|Let’s)\b|\$\{)/;

/** Why a text is no clause; undefined for one that is. */
export function whyNoClause(text: string): string | undefined {
  if (text.trim() === '') return 'is empty';
  if (text.endsWith('.') && !text.endsWith('…')) return 'ends with a full stop';
  return /^[A-Z]/.test(text) && !names.test(text) ? 'begins with a capital' : undefined;
}
