type Sign = string | undefined;

/** True for 0 to 9. */
export function isDigit(sign: Sign): boolean {
  return sign !== undefined && sign.length === 1 && sign >= '0' && sign <= '9';
}

/** True for an ASCII letter. */
export function isLetter(sign: Sign): boolean {
  return sign !== undefined && sign.length === 1 && /[a-z]/i.test(sign);
}

/** True for space and tab (WSP of RFC 5234). */
export function isBlankOrTab(sign: Sign): boolean {
  return sign === ' ' || sign === '\t';
}

/** Offset of the first character that the claim is not true of; the length where there is none. */
export function scanWhile(text: string, start: number, claim: (sign: Sign) => boolean): number {
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
  const start = scanWhile(text, 0, isBlankOrTab);
  let end = text.length;
  while (end > start && isBlankOrTab(text[end - 1])) end -= 1;
  return { text: text.slice(start, end), skipped: start };
}

/** Offset of the first character outside of visible ASCII and blank; -1 where there is none. */
export function findUnprintable(text: string): number {
  const end = scanWhile(text, 0, (sign) => sign !== undefined && sign >= ' ' && sign <= '~');
  return end === text.length ? -1 : end;
}
