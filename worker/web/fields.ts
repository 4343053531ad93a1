/** A header line as sent: order, case and repetitions; each byte one character. */
export type HeaderLine = readonly [name: string, value: string];

/** Field name in lower case → its values in the order sent, one for each line. */
export type Fields = ReadonlyMap<string, readonly string[]>;

/** Sorts header lines by name without joining any: what was sent twice stays two. */
export function indexFields(lines: readonly HeaderLine[]): Fields {
  const fields = new Map<string, string[]>();
  for (const [name, value] of lines) {
    const key = name.toLowerCase();
    const values = fields.get(key);
    if (values) values.push(value);
    else fields.set(key, [value]);
  }
  return fields;
}

/** The values of a field, empty where it was not sent. `name` in lower case. */
export function valuesOf(fields: Fields, name: string): readonly string[] {
  return fields.get(name) ?? [];
}

/**
 * "Get, decode, and split" of the Fetch Standard: all lines joined by commas, split at those outside of quotes.
 * @returns the values trimmed of tabs and spaces; an empty field gives one empty value, a missing one gives none
 */
export function splitValues(values: readonly string[]): string[] {
  return values.flatMap(splitAtCommas);
}

function splitAtCommas(text: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') quoted = !quoted;
    else if (character === '\\' && quoted) at += 1;
    else if (character === ',' && !quoted) {
      pieces.push(trimSpaces(text.slice(start, at)));
      start = at + 1;
    }
  }
  pieces.push(trimSpaces(text.slice(start)));
  return pieces;
}

/** Cuts tabs and spaces from both ends (HTTP's optional whitespace). */
export function trimSpaces(text: string): string {
  return trimBy(isSpace, text);
}

/**
 * Cuts all of ASCII's blanks from both ends, form feeds and vertical tabs too. So Chromium reads X-Frame-Options, Referrer-Policy and
 * Clear-Site-Data (measured in 153); of other fields it cuts what `trimSpaces` cuts.
 */
export function trimBlanks(text: string): string {
  return trimBy(isBlank, text);
}

function trimBy(isCut: (character: string | undefined) => boolean, text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isCut(text[start])) start += 1;
  while (end > start && isCut(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

function isBlank(character: string | undefined): boolean {
  return isSpace(character) || (character !== undefined && character >= '\n' && character <= '\r');
}
