import { parseDate } from 'tough-cookie';
import { type Malformed, malformed } from '#shared/model/verdict';
import { trimSpaces } from './fields.ts';
import { octetsOf } from './mask-cookie.ts';

export type SameSite = 'Strict' | 'Lax' | 'None';

/** A Set-Cookie line as RFC 6265bis reads it, before anyone asks whether it would be stored. */
export type SetCookie = {
  readonly name: string;
  /** As sent, or what stands for it in evidence: "[32 octets]". */
  readonly value: string;
  /** Length of the value, also of one that is masked. */
  readonly valueOctets: number;
  /** In lower case without the leading dot; null where it is absent or empty. */
  readonly domain: string | null;
  /** null where it is absent or does not begin with a slash. */
  readonly path: string | null;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  readonly partitioned: boolean;
  readonly sameSite: SameSite | null;
  /** A SameSite value that is none of the three, as sent. */
  readonly sameSiteUnknown: string | null;
  /** Seconds from now, or null; beats `expiresMs`. */
  readonly maxAgeS: number | null;
  /** Unix ms, or null. */
  readonly expiresMs: number | null;
};

type Attributes = Omit<SetCookie, 'name' | 'value' | 'valueOctets'>;

const none: Attributes = {
  domain: null,
  path: null,
  secure: false,
  httpOnly: false,
  partitioned: false,
  sameSite: null,
  sameSiteUnknown: null,
  maxAgeS: null,
  expiresMs: null,
};
const sameSites: ReadonlyMap<string, SameSite> = new Map([
  ['strict', 'Strict'],
  ['lax', 'Lax'],
  ['none', 'None'],
]);

/**
 * Parses one Set-Cookie line (RFC 6265bis, "The Set-Cookie header field" of user agents). Malformed where the whole line is ignored:
 * control characters, neither name nor value. An attribute value of more than 1024 octets is skipped.
 */
export function parseSetCookie(line: string): SetCookie | Malformed {
  const control = findControl(line);
  if (control >= 0) return malformed('a control character', control);
  const [pair = '', ...attributes] = line.split(';');
  const equals = pair.indexOf('=');
  const name = equals < 0 ? '' : trimSpaces(pair.slice(0, equals));
  const value = trimSpaces(equals < 0 ? pair : pair.slice(equals + 1));
  if (name === '' && value === '') return malformed('neither a name nor a value', 0);
  return attributes.reduce<SetCookie>(readAttribute, {
    name,
    value,
    valueOctets: octetsOf(value),
    ...none,
  });
}

/** Writes a line that parseSetCookie reads as the same. */
export function printSetCookie(cookie: SetCookie): string {
  const { name, value, domain, path, secure, httpOnly, partitioned, maxAgeS, expiresMs } = cookie;
  const sameSite = cookie.sameSite ?? cookie.sameSiteUnknown;
  return [
    `${name}=${value}`,
    ...(domain === null ? [] : [`Domain=${domain}`]),
    ...(path === null ? [] : [`Path=${path}`]),
    ...(maxAgeS === null ? [] : [`Max-Age=${maxAgeS}`]),
    ...(expiresMs === null ? [] : [`Expires=${new Date(expiresMs).toUTCString()}`]),
    ...(secure ? ['Secure'] : []),
    ...(httpOnly ? ['HttpOnly'] : []),
    ...(partitioned ? ['Partitioned'] : []),
    ...(sameSite === null ? [] : [`SameSite=${sameSite}`]),
  ].join('; ');
}

const readers = new Map<string, (value: string) => Partial<Attributes>>([
  ['domain', (value) => ({ domain: value.replace(/^\./, '').toLowerCase() || null })],
  ['path', (value) => ({ path: value.startsWith('/') ? value : null })],
  ['secure', () => ({ secure: true })],
  ['httponly', () => ({ httpOnly: true })],
  ['partitioned', () => ({ partitioned: true })],
  ['samesite', readSameSite],
  ['max-age', (value) => (/^-?\d+$/.test(value) ? { maxAgeS: clamp(Number(value)) } : {})],
  ['expires', readExpires],
]);

// The last attribute of a name counts, so each one read replaces what was there.
function readAttribute(cookie: SetCookie, text: string): SetCookie {
  const equals = text.indexOf('=');
  const name = trimSpaces(equals < 0 ? text : text.slice(0, equals)).toLowerCase();
  const value = equals < 0 ? '' : trimSpaces(text.slice(equals + 1));
  const read = value.length > 1024 ? undefined : readers.get(name);
  return read ? { ...cookie, ...read(value) } : cookie;
}

function readSameSite(value: string): Partial<Attributes> {
  const sameSite = sameSites.get(value.toLowerCase()) ?? null;
  return { sameSite, sameSiteUnknown: sameSite === null ? value : null };
}

function readExpires(value: string): Partial<Attributes> {
  // A date is short; what is longer is no date, and its reading would take long.
  const expiresMs = parseDate(value.slice(0, 200))?.getTime();
  return expiresMs === undefined ? {} : { expiresMs };
}

// %x00-08 / %x0A-1F / %x7F
function findControl(line: string): number {
  for (let at = 0; at < line.length; at += 1) {
    const code = line.charCodeAt(at);
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) return at;
  }
  return -1;
}

function clamp(seconds: number): number {
  return Math.max(Math.min(seconds, Number.MAX_SAFE_INTEGER), -Number.MAX_SAFE_INTEGER);
}
