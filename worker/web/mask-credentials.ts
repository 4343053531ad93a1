import type { HeaderLine } from './fields.ts';
import { decodeLocation, resolveLocation } from './location.ts';
import { maskSetCookie, maskText } from './mask-cookie.ts';

/**
 * Hides the user information of a Location: reports are kept and handed on. What browsers read as credentials is hidden,
 * however it is spelled ("https:/\u:p@a.test"), and so are the credentials of URLs inside it ("/?next=https%3A%2F%2Fu%3Ap%40a.test").
 * @param base the address of the hop
 * @returns the text as it was sent where it holds no credentials
 */
export function maskLocation(location: string, base: string): string {
  const resolved = resolveLocation(location, base);
  // It is not a URL, so nobody can say which part is the password.
  if (!resolved) return location.replace(/^.*@/s, '***@');
  if (!resolved.hadCredentials) return maskUrls(location);
  const { protocol, href } = resolved.url;
  return `${protocol}//***@${maskUrls(href.slice(protocol.length + 2))}`;
}

/** Hides the user information of every URL in a text of any kind, also of percent-encoded ones. Linear in the text's length. */
export function maskUrls(text: string): string {
  if (!/@|%(?:25)*40/.test(text)) return text;
  const pieces: string[] = [];
  let done = 0;
  for (const { index, 0: start } of text.matchAll(urlStart)) {
    const from = index + start.length;
    if (from <= done) continue;
    const at = endOfUserInfo(text, from);
    if (at > from) {
      pieces.push(text.slice(done, from), '***');
      done = at;
    }
  }
  return pieces.join('') + text.slice(done);
}

/** Cookies that browsers keep of one domain; of more lines only the last can stay. */
const cookieLimit = 180;

/** The header lines of an answer as they may be kept: no cookie's value, no URL's credentials, and of thousands of cookies the last 180. */
export function maskHeaders(headers: readonly HeaderLine[], url: string): HeaderLine[] {
  const isCookie = ([name]: HeaderLine) => name.toLowerCase() === 'set-cookie';
  let surplus = headers.filter(isCookie).length - cookieLimit;
  const kept = surplus <= 0 ? headers : headers.filter((line) => !isCookie(line) || surplus-- <= 0);
  return kept.map(([name, value]) => [name, maskField(name.toLowerCase(), value, url)]);
}

function maskField(name: string, value: string, url: string): string {
  if (name === 'set-cookie') return maskSetCookie(value);
  if (isSecretField(name)) return maskText(value);
  if (!urlFields.has(name)) return maskUrls(value);
  // A Location is read as UTF-8; what is shown of one without credentials stays as it was sent.
  const { text } = decodeLocation(value);
  const masked = maskLocation(text, url);
  return masked === text ? value : masked;
}

/** True for fields whose values are credentials, or made of them: those of requests too, which some servers send back. */
export function isSecretField(name: string): boolean {
  return secretField.test(name);
}

/** The names of such fields, as a piece of an expression. */
export const secretFields = 'cookie2?|authorization|authentication-info|proxy-[a-z-]{1,60}';
const secretField = new RegExp(`^(?:${secretFields})$`, 'i');

const urlFields: ReadonlySet<string> = new Set(['location', 'content-location', 'sourcemap', 'x-sourcemap']);

// A scheme, or a character that begins a value, and two or more slashes of either kind, each as it is or percent-encoded any number of times.
const urlStart =
  /(?:[a-z][a-z0-9+.-]{1,20}(?::|%(?:25){0,8}3a)|[=<"'(;,]|%(?:25){0,8}3d|^)[\t\n\r ]*(?:[\\/]|%(?:25){0,8}(?:2f|5c)){2,}/gi;
const plainEnd = /[\\/?#&\s"<>]/g;
const encodedEnd = /[\\/?#&\s"<>]|%(?:25){0,8}(?:2f|5c|3f|23|26|20)/gi;
const encodedAt = /%(?:25){0,8}40/gi;

/** Where the "@" behind user information stands, as it is or percent-encoded; -1 where there is none. */
function endOfUserInfo(text: string, from: number): number {
  const plain = text.slice(from, endOf(plainEnd, text, from)).lastIndexOf('@');
  if (plain >= 0) return from + plain;
  const authority = text.slice(from, endOf(encodedEnd, text, from));
  const last = [...authority.matchAll(encodedAt)].at(-1);
  return last ? from + last.index : -1;
}

function endOf(delimiter: RegExp, text: string, from: number): number {
  delimiter.lastIndex = from;
  return delimiter.exec(text)?.index ?? text.length;
}
