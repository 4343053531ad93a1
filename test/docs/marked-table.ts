import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A page of the project with one of its tables made anew. Throws where the marks of the table are missing. @param name what stands in the mark at the table's beginning */
export function withTable(path: string, name: string, table: string): string {
  const text = readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
  const begin = new RegExp(`<!-- ${name}: .*? -->`).exec(text)?.[0];
  const end = `<!-- /${name} -->`;
  const [before, rest] = begin === undefined ? [] : text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`${path} lacks the marks of its ${name}`);
  return `${before}${begin}\n${table}\n${end}${after}`;
}
