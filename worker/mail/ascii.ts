/** True for one digit or more, and nothing else. */
export function isAllDigits(text: string): boolean {
  return /^[0-9]+$/.test(text);
}

/** How many characters at the start of a text fit an expression that is anchored there. */
export function lengthOf(start: RegExp, text: string): number {
  return start.exec(text)?.[0].length ?? 0;
}

/** A text without spaces and tabs at its ends, and how many stood before it. */
export function trimSpaces(text: string): { text: string; skipped: number } {
  const skipped = lengthOf(/^[ \t]+/, text);
  let end = text.length;
  // Not an expression: one that looks for an end costs the square of a long run of spaces.
  while (end > skipped && (text[end - 1] === ' ' || text[end - 1] === '\t')) end -= 1;
  return { text: text.slice(skipped, end), skipped };
}
