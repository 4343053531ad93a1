import { splitValues } from '../../../web/fields.ts';

/** X-Content-Type-Options as the Fetch Standard's "determine nosniff" reads it: the first value alone counts. */
export type Nosniff = { readonly nosniff: boolean; readonly value: string; readonly count: number };

/** Reads all X-Content-Type-Options lines; undefined where none was sent. */
export function parseNosniff(lines: readonly string[]): Nosniff | undefined {
  const values = splitValues(lines);
  const [value] = values;
  if (value === undefined) return undefined;
  return { nosniff: value.toLowerCase() === 'nosniff', value, count: values.length };
}
