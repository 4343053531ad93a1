import type { Malformed } from '../../model/verdict.ts';

/**
 * Reads the Expires value of a security.txt (RFC 9116 §2.5.5, RFC 3339 §5.6).
 * @param text e.g. "2027-01-31T23:00:00.000Z"
 * @returns Unix ms
 */
export function parseExpires(text: string): number | Malformed {
  const found = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.exec(text);
  if (!found) return { malformed: 'it is no date and time such as 2027-01-31T23:00:00Z' };
  const [, day = '', time = '', , offset = ''] = found;
  // Dates of JavaScript know no leap second, and read 30 February as 2 March.
  const ms = Date.parse(`${day}T${time.replace(/:60$/, ':59')}${offset.toUpperCase()}`);
  const isReal = !Number.isNaN(ms) && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
  return isReal ? ms : { malformed: 'there is no such date or time' };
}
