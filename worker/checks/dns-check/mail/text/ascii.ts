type Character = string | undefined;

/** True for 0 to 9. */
export function isDigit(character: Character): boolean {
  return character !== undefined && character.length === 1 && character >= '0' && character <= '9';
}

/** True for an ASCII letter. */
export function isLetter(character: Character): boolean {
  return character !== undefined && character.length === 1 && /[a-z]/i.test(character);
}

/** True for space and tab (WSP of RFC 5234). */
export function isSpaceOrTab(character: Character): boolean {
  return character === ' ' || character === '\t';
}

/** Offset of the first character that the claim is not true of; the length where there is none. */
export function scanWhile(text: string, start: number, claim: (character: Character) => boolean): number {
  let end = start;
  while (end < text.length && claim(text[end])) end += 1;
  return end;
}

/** True for one digit or more, and nothing else. */
export function isAllDigits(text: string): boolean {
  return text !== '' && scanWhile(text, 0, isDigit) === text.length;
}

/** A text without spaces at its ends, and how many stood before it. */
export function trimSpaces(text: string): { text: string; skipped: number } {
  const start = scanWhile(text, 0, isSpaceOrTab);
  let end = text.length;
  while (end > start && isSpaceOrTab(text[end - 1])) end -= 1;
  return { text: text.slice(start, end), skipped: start };
}

/** Offset of the first character outside of visible ASCII and the space; -1 where there is none. */
export function findUnprintable(text: string): number {
  const end = scanWhile(
    text,
    0,
    (character) => character !== undefined && character >= ' ' && character <= '~',
  );
  return end === text.length ? -1 : end;
}
