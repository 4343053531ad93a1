import { trimSpaces } from './fields.ts';
import { isAttribute, isAttributePair, mapJoined } from './joined-cookie.ts';

/** What stands for a text that is not shown: how long it was, one character an octet, and the first of its bytes that no field may have. */
export function maskText(text: string): string {
  if (text === '') return '';
  const strange = /[^\t\u0020-\u007e]/.exec(text)?.[0] ?? '';
  return `[${text.length} octets]${strange}`;
}

/** How many octets a cookie's value had: what is masked in it counts by what it says. */
export function octetsOf(value: string): number {
  const masks = value.matchAll(/\[(\d{1,7}) octets(?:, a signed token|, for scripts)?\][^\t\u0020-\u007e]?/g);
  return [...masks].reduce((sum, [mask, octets]) => sum + Number(octets) - mask.length, value.length);
}

/** True for a signed token (RFC 7519), and for what stands for one: header.payload.signature, the first of which is base64 of {"… */
export function isSignedToken(value: string): boolean {
  if (value.endsWith(' octets, a signed token]')) return true;
  const parts = value.split('.', 4);
  return (
    parts.length === 3 && value.startsWith('eyJ') && parts.every((part) => /^[A-Za-z0-9_-]+$/.test(part))
  );
}

/** True for a value that says itself that scripts of the page send it along ("ajax:1234"), and for what stands for one. */
export function isMeantForScripts(value: string): boolean {
  return /^"?ajax:/.test(value) || value.endsWith(' octets, for scripts]');
}

/**
 * A Set-Cookie line that may be shown and kept: its value may be somebody's session. Name, attributes and order stay, the value's length
 * stands for the value, and so it does for whatever is no attribute. Of cookies that commas joined to the line it is the same.
 */
export function maskSetCookie(line: string): string {
  return mapJoined(line, maskOne);
}

function maskOne(line: string): string {
  const [pair = '', ...attributes] = line.split(';');
  return [maskPair(pair), ...attributes.map(maskAttribute)].join(';');
}

/** The name of a line's cookie; null where it has none, and so is all value. */
export function cookieNameOf(line: string): string | null {
  const [pair = ''] = line.split(';', 1);
  const equals = pair.indexOf('=');
  return equals < 0 ? null : trimSpaces(pair.slice(0, equals));
}

/** The value of an attribute, but for a second cookie that a comma joined to it: "/, sid=1" (a Set-Cookie line cannot be joined, yet some proxies do). */
export function maskAttributeValue(value: string): string {
  return value.includes('=') ? maskText(value) : value;
}

// A value that begins like a name's prefix is refused for it, so that prefix stays. An attribute holds nothing of a visitor.
function maskPair(pair: string): string {
  if (isAttributePair(pair)) return pair;
  const equals = pair.indexOf('=');
  const value = trimSpaces(pair.slice(equals + 1));
  const [prefix = ''] =
    trimSpaces(pair.slice(0, Math.max(0, equals))) === ''
      ? (/^__(?:host-http|host|http|secure)-/i.exec(value) ?? [])
      : [];
  return `${pair.slice(0, equals + 1)}${prefix}${maskValue(value.slice(prefix.length))}`;
}

function maskValue(value: string): string {
  if (isMeantForScripts(value)) return `[${value.length} octets, for scripts]`;
  return isSignedToken(value) ? `[${value.length} octets, a signed token]` : maskText(value);
}

function maskAttribute(text: string): string {
  const equals = text.indexOf('=');
  if (!isAttribute(text)) return text.trim() === '' ? text : ` ${maskText(text)}`;
  return equals < 0 ? text : `${text.slice(0, equals)}=${maskAttributeValue(text.slice(equals + 1))}`;
}
