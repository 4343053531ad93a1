import { isToken, trimBlanks } from './fields.ts';

// Attributes that browsers know or knew; anything else behind a semicolon may be the rest of a value that had one in it.
const knownAttributes: ReadonlySet<string> = new Set([
  'domain',
  'expires',
  'httponly',
  'max-age',
  'partitioned',
  'path',
  'priority',
  'samesite',
  'secure',
  'version',
]);

/** What stands for a text that is not shown: how long it was, one character an octet. */
export function maskText(text: string): string {
  return text === '' ? '' : `[${text.length} octets]`;
}

/**
 * A Set-Cookie line that may be shown and kept: its value may be somebody's session. Name, attributes and order stay, the value's length
 * stands for the value, and so it does for whatever is no attribute, or hides a second cookie in one.
 */
export function maskSetCookie(line: string): string {
  const [pair = '', ...attributes] = line.split(';');
  return [maskPair(pair), ...attributes.map(maskAttribute)].join(';');
}

/** The name of a line's cookie; null where it has none, and so is all value. */
export function cookieNameOf(line: string): string | null {
  const [pair = ''] = line.split(';', 1);
  const equals = pair.indexOf('=');
  return equals < 0 ? null : trimBlanks(pair.slice(0, equals));
}

/** The value of an attribute, but for a second cookie that a comma joined to it: "/, sid=1" (a Set-Cookie line cannot be joined, yet some proxies do). */
export function maskAttributeValue(value: string): string {
  return value.includes('=') ? maskText(value) : value;
}

function maskPair(pair: string): string {
  const equals = pair.indexOf('=');
  return equals < 0 ? maskText(pair) : `${pair.slice(0, equals + 1)}${maskText(pair.slice(equals + 1))}`;
}

function maskAttribute(text: string): string {
  const equals = text.indexOf('=');
  const name = equals < 0 ? text : text.slice(0, equals);
  if (!isToken(trimBlanks(name)) || !knownAttributes.has(trimBlanks(name).toLowerCase()))
    return text.trim() === '' ? text : ` ${maskText(text)}`;
  return equals < 0 ? text : `${name}=${maskAttributeValue(text.slice(equals + 1))}`;
}
