const [tab, newline, carriageReturn, space] = [9, 10, 13, 32];

/** True for what ends a line of a list: LF, CR or both. Of a byte as of a character: who counts lines and who reads them must agree. */
export const endsLine = (code: number): boolean => code === newline || code === carriageReturn;

/** True for what a line may have around its text. */
export const isBlank = (code: number): boolean => code === space || code === tab;

/** The lines that are not empty; the body's bounds say how many there may be. One pass: an expression would make a list of all the empty ones too. */
export function linesOf(text: string): readonly string[] {
  const lines: string[] = [];
  let start = 0;
  let isEmpty = true;
  for (let at = 0; at <= text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (at < text.length && !endsLine(code)) {
      isEmpty &&= isBlank(code);
      continue;
    }
    const line = isEmpty ? '' : text.slice(start, at).trim();
    if (line !== '') lines.push(line);
    start = at + 1;
    isEmpty = true;
  }
  return lines;
}
