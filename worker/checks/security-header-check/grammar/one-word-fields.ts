import { splitValues, trimBlanks } from '../../../web/fields.ts';

/** What X-Frame-Options comes to: `conflict` blocks all framing, `invalid` and `allow-from` none. */
export type XFrameOptions = {
  readonly kind: 'deny' | 'sameorigin' | 'allowall' | 'allow-from' | 'invalid' | 'conflict';
  /** The different values, in lower case. */
  readonly values: readonly string[];
  /** How many values were sent, repetitions counted. */
  readonly count: number;
};

const known = ['deny', 'sameorigin', 'allowall'] as const;

/** Reads all X-Frame-Options lines as the HTML Standard does; undefined where none was sent. */
export function parseXFrameOptions(lines: readonly string[]): XFrameOptions | undefined {
  const sent = splitValues(lines).map((value) => trimBlanks(value).toLowerCase());
  if (sent.length === 0) return undefined;
  const values = [...new Set(sent)];
  return { kind: kindOf(values), values, count: sent.length };
}

function kindOf(values: readonly string[]): XFrameOptions['kind'] {
  const [first = ''] = values;
  if (values.length > 1) return known.some((word) => values.includes(word)) ? 'conflict' : 'invalid';
  const word = known.find((one) => one === first);
  if (word) return word;
  return first.startsWith('allow-from') ? 'allow-from' : 'invalid';
}

/** X-Content-Type-Options as the Fetch Standard's "determine nosniff" reads it: the first value alone counts. */
type Nosniff = { readonly nosniff: boolean; readonly value: string; readonly count: number };

/** Reads all X-Content-Type-Options lines; undefined where none was sent. */
export function parseNosniff(lines: readonly string[]): Nosniff | undefined {
  const values = splitValues(lines);
  const [value] = values;
  if (value === undefined) return undefined;
  return { nosniff: value.toLowerCase() === 'nosniff', value, count: values.length };
}
