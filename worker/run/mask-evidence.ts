import type { Json } from '#shared/model/verdict';
import { isAttribute, isAttributePair, mapJoined } from '../web/joined-cookie.ts';
import { isSecretField, secretFields } from '../web/mask-credentials.ts';

const mayBeSecret = new RegExp(`set-?cookies?"|"(?:${secretFields})"`, 'i');

/** False where the JSON of some evidence has nothing to mask: to know that is cheaper than to walk through it all. */
export function mayHoldSecrets(json: string): boolean {
  return mayBeSecret.test(json) || /:[\\/]{2,}[^\s/?#\\"'<>]*@/.test(json);
}

/**
 * Evidence as it may be kept: the values of cookies and the user information of addresses give way to filler. What judgement
 * reads of them stays: their length, which kinds of character they are made of, and how random they look. So judging what was
 * kept gives the same report. Pure.
 */
export function maskEvidence(evidence: Json): Json {
  if (typeof evidence === 'string') return maskCredentials(evidence);
  if (typeof evidence !== 'object' || evidence === null) return evidence;
  if (isList(evidence)) {
    const [name, value, ...more] = evidence;
    if (isSetCookie(name) && typeof value === 'string') return [name ?? '', maskCookie(value), ...more];
    if (typeof name === 'string' && typeof value === 'string' && isSecretField(name))
      return [name, fill(value), ...more];
    return evidence.map(maskEvidence);
  }
  return Object.fromEntries(
    Object.entries(evidence).map(([name, value]) => [
      name,
      isSetCookie(name) ? maskCookies(value) : maskEvidence(value),
    ]),
  );
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

// A field of an answer, or a key that holds such fields: "Set-Cookie", "setCookies".
function isSetCookie(name: Json | undefined): boolean {
  return typeof name === 'string' && /^set-?cookies?$/i.test(name);
}

function maskCookies(value: Json): Json {
  if (typeof value === 'string') return maskCookie(value);
  return isList(value) ? value.map(maskCookies) : maskEvidence(value);
}

/** "https://user:secret@a.test/" → "https://***@a.test/", also where slashes are backslashes, as browsers take them. */
function maskCredentials(text: string): string {
  return text.includes('@')
    ? text.replace(/([a-z][a-z0-9+.-]{0,30}:[\\/]{2,})[^\s/?#\\"'<>]*@/gi, '$1***@')
    : text;
}

function maskCookie(line: string): string {
  return mapJoined(line, maskOne);
}

function maskOne(line: string): string {
  const [pair = '', ...rest] = line.split(';');
  const equals = pair.indexOf('=') + 1;
  const masked = rest.map((text) => (isAttribute(text) && !holdsCookie(text) ? text : fill(text)));
  const shown = isAttributePair(pair) ? pair : `${pair.slice(0, equals)}${fill(pair.slice(equals))}`;
  return [shown, ...masked].join(';');
}

// "Path=/, sid=1": a proxy joined a second cookie to the attribute.
function holdsCookie(text: string): boolean {
  return text.split('=', 3).length > 2;
}

/** Public words at the front of a value: a cookie prefix, what every JSON Web Token begins with, and the mark of a value for scripts. */
const kept = /^\s*(?:__(?:secure|host|http|host-http)-|eyJ|"?ajax:)?/i;

/** What gathering left of a value already: its length is read again. */
const standsForValue =
  /^\s*(?:__(?:secure|host|http|host-http)-)?\[\d{1,7} octets(?:, a signed token|, for scripts)?\]$/i;

const digits = '0123456789';
const hexLetters = 'abcdefABCDEF';
const letters = 'ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZabcdefABCDEF';

/**
 * Letters and digits give way to filler: the same number of each, in alphabetical order, and as often repeated, so that the
 * entropy is the same. Punctuation, which divides tokens, stays; a byte beyond ASCII becomes another one.
 */
function fill(text: string): string {
  if (standsForValue.test(text)) return text;
  const front = kept.exec(text)?.[0] ?? '';
  const secret = text.slice(front.length);
  const filler = [
    ...standIns(secret.match(/[a-z]/gi) ?? [], /[g-z]/i.test(secret) ? letters : hexLetters),
    ...standIns(secret.match(/\d/g) ?? [], digits),
  ];
  const stream = filler.values();
  const masked = secret.replace(/[a-z0-9]/gi, () => stream.next().value ?? '');
  return front + masked.replace(/[^\0-\u007f]/g, '\u00ff');
}

// The most frequent character becomes the first of the alphabet, and so on.
function standIns(characters: readonly string[], alphabet: string): string[] {
  const counts = new Map<string, number>();
  for (const character of characters) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()]
    .sort((one, other) => other - one)
    .flatMap((count, rank) => Array.from({ length: count }, () => alphabet[rank] ?? ''));
}
