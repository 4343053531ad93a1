/**
 * Reads CSV in which every field is quoted, as the CCADB exports it (RFC 4180).
 * @returns one record a row, by the names of the first row
 * @throws Error for text that is written in another way
 */
export function readQuotedCsv(text: string): readonly ReadonlyMap<string, string>[] {
  const field = /"((?:[^"]|"")*)"(,|\r?\n|$)/gy;
  const rows: string[][] = [[]];
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const match = field.exec(text);
    if (!match) throw new Error(`no quoted field at character ${at}`);
    const [, value = '', end] = match;
    rows.at(-1)?.push(value.replaceAll('""', '"'));
    if (end !== ',') rows.push([]);
  }
  const [names = [], ...records] = rows.filter((row) => row.length > 0);
  return records.map((row) => new Map(names.map((name, at) => [name, row[at] ?? ''])));
}
