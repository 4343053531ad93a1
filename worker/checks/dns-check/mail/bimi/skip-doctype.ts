/**
 * Finds the end of a DOCTYPE (XML 1.0 §2.8), whatever it declares; nothing of it is read.
 * @param start offset of its "<"
 * @returns `end` behind its ">", -1 where there is none; `hasSubset`: it declares something of its own
 */
export function skipDoctype(text: string, start: number): { end: number; hasSubset: boolean } {
  let hasSubset = false;
  let isInside = false;
  let at = start + 1;
  while (at < text.length) {
    const sign = text[at];
    if (sign === '>' && !isInside) return { end: at + 1, hasSubset };
    if (sign === '[') hasSubset = true;
    if (sign === '[' || sign === ']') isInside = sign === '[';
    const end = endOfQuoted(text, at);
    if (end < 0) break;
    at = end;
  }
  return { end: -1, hasSubset };
}

// A quoted text or a comment is passed over whole; anything else is one character.
function endOfQuoted(text: string, at: number): number {
  const sign = text[at] ?? '';
  const isComment = text.startsWith('<!--', at);
  const mark = isComment ? '-->' : sign === '"' || sign === "'" ? sign : '';
  if (mark === '') return at + 1;
  const end = text.indexOf(mark, at + (isComment ? 4 : 1));
  return end < 0 ? -1 : end + mark.length;
}
