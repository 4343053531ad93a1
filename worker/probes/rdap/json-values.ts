/** An object of JSON whose values nobody has looked at. */
export type JsonFields = { readonly [name: string]: unknown };

const longestText = 200;

/** True for an object of JSON. */
export function isObject(value: unknown): value is JsonFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects among the first of a list; none where it is no list. */
export function listOf(value: unknown, most: number): readonly JsonFields[] {
  return Array.isArray(value) ? value.slice(0, most).filter(isObject) : [];
}

/** A text with something in it, cut where it is long. */
export function textOf(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = value.slice(0, longestText).trim();
  return text === '' ? null : text;
}

/** A whole number below 65,536, also where it is written as text. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,5}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 && number < 65_536
    ? number
    : null;
}

/** A host name in ASCII and lower case, without a dot at the end. */
export function nameOf(value: unknown): string | null {
  const name = typeof value === 'string' ? value.slice(0, 255).toLowerCase().replace(/\.$/, '') : '';
  return name.length <= 253 && /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/.test(name) ? name : null;
}
