/** Words that keep their capital within a sentence. */
const properNames = /^(?:A (?:and|or|records?)\b|(?:Lighthouse|Chrome|Google|Location)\b)/;

/** The text as a part of a sentence: without its full stop, and with the small letter that a first word has there. */
export function clause(text: string): string {
  const told = text.replace(/[.\s]+$/, '');
  return properNames.test(told) ? told : told.replace(/^[A-Z][a-z]*(?=[\s,’])/, (word) => word.toLowerCase());
}
