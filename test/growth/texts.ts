/** What is tried on every reader of text: delimiters over and over, brackets and quotes that stay open, equal names, spaces, patterns that take turns. */
export const hostilePieces: readonly string[] = [
  ' ',
  '\t ',
  '\n',
  '\r\n',
  ';',
  ',',
  '=',
  ':',
  '.',
  '/',
  '-',
  '*',
  '%',
  '@',
  '&',
  '#',
  '\\',
  '\0',
  '\u00e9',
  '\ud800',
  '"',
  "'",
  '(',
  ')',
  '[',
  '{',
  '<',
  '>',
  '()',
  '{}',
  '"";',
  '"\\',
  '<a',
  '</',
  '<!--',
  '%{',
  '://',
  'a',
  '0',
  'a ',
  '0 ',
  'a;',
  'a,',
  'a=',
  'a=b;',
  'a=b,',
  'a="',
  'a="b",',
  'a;b',
  ' ;',
  ' , ',
  '; ',
  'a.',
  '0.',
  'a\n',
  'a: b\n',
  ' \n',
  '\n ',
];

/** One piece over and over, up to a length; behind it what nothing expects. */
export function repeated(start: string, piece: string, length: number): string {
  const count = Math.max(0, Math.floor((length - start.length - 1) / piece.length));
  return `${start}${piece.repeat(count)}!`;
}

/** Names that all differ: what is kept by its name grows with each. */
export function numbered(start: string, before: string, behind: string, length: number): string {
  const pieces: string[] = [start];
  for (let left = length - start.length, at = 0; left > 0; at += 1) {
    const piece = `${before}${at}${behind}`;
    pieces.push(piece);
    left -= piece.length;
  }
  return pieces.join('').slice(0, length);
}
