import { isToken } from '#shared/model/token';
import { isMalformed, type Malformed, malformed } from '#shared/model/verdict';
import { trimSpaces } from './fields.ts';

/** A valid Strict-Transport-Security value. */
export type Hsts = {
  readonly maxAgeS: number;
  readonly includeSubDomains: boolean;
  readonly preload: boolean;
};

/**
 * Parses one Strict-Transport-Security value (RFC 6797 §6.1): directives between semicolons, names in any case,
 * values as token or quoted string, no directive twice, max-age needed, none for includeSubDomains. Unknown directives are skipped.
 */
export function parseHsts(text: string): Hsts | Malformed {
  const seen = readDirectives(text);
  if (isMalformed(seen)) return seen;
  const maxAge = seen.get('max-age');
  if (maxAge === undefined) return malformed('no max-age', text.length);
  if (maxAge === null || !/^\d+$/.test(maxAge))
    return malformed('a max-age that is not a number of seconds', 0);
  return {
    // Beyond 2^53 digits mean nothing more than "for ever".
    maxAgeS: Math.min(Number(maxAge), Number.MAX_SAFE_INTEGER),
    includeSubDomains: seen.has('includesubdomains'),
    preload: seen.has('preload'),
  };
}

/** The max-age of a Strict-Transport-Security value in seconds; null where browsers ignore the field. */
export function readMaxAge(text: string): number | null {
  const parsed = parseHsts(text);
  return isMalformed(parsed) ? null : parsed.maxAgeS;
}

function readDirectives(text: string): ReadonlyMap<string, string | null> | Malformed {
  const seen = new Map<string, string | null>();
  for (const { name, value, offset } of splitDirectives(text)) {
    if (name === '' && value === null) continue;
    if (!isToken(name)) return malformed('a directive whose name is not a token', offset);
    if (seen.has(name)) return malformed(`the directive ${name} twice`, offset);
    const read = value === null ? null : readValue(value);
    if (read === undefined)
      return malformed(`a value of ${name} that is neither token nor quoted string`, offset);
    // Browsers ignore the whole field for it (RFC 6797 §6.1.2).
    if (name === 'includesubdomains' && read !== null)
      return malformed('a value of includesubdomains, which takes none', offset);
    seen.set(name, read);
  }
  return seen;
}

/** Writes a value that parseHsts reads as the same. */
export function printHsts({ maxAgeS, includeSubDomains, preload }: Hsts): string {
  return [
    `max-age=${maxAgeS}`,
    ...(includeSubDomains ? ['includeSubDomains'] : []),
    ...(preload ? ['preload'] : []),
  ].join('; ');
}

function splitDirectives(text: string): { name: string; value: string | null; offset: number }[] {
  const directives: { name: string; value: string | null; offset: number }[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at <= text.length; at += 1) {
    const character = text[at];
    if (quoted && character === '\\') at += 1;
    else if (character === '"') quoted = !quoted;
    if (at < text.length && (character !== ';' || quoted)) continue;
    const piece = text.slice(start, at);
    const equals = piece.indexOf('=');
    directives.push({
      name: trimSpaces(equals < 0 ? piece : piece.slice(0, equals)).toLowerCase(),
      value: equals < 0 ? null : trimSpaces(piece.slice(equals + 1)),
      offset: start,
    });
    start = at + 1;
  }
  return directives;
}

function readValue(text: string): string | undefined {
  if (isToken(text)) return text;
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return undefined;
  const inner = text.slice(1, -1);
  let read = '';
  for (let at = 0; at < inner.length; at += 1) {
    if (inner[at] === '"') return undefined;
    if (inner[at] === '\\') at += 1;
    read += inner[at] ?? '';
  }
  return read;
}
