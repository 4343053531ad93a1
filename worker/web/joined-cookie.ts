import { trimSpaces } from './fields.ts';

// Attributes that browsers know or knew; anything else behind a semicolon may be the rest of a value that had one in it.
const attributeNames: ReadonlySet<string> = new Set([
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

/** True where a piece of a Set-Cookie line is an attribute by its name, and not the rest of a value. */
export function isAttribute(text: string): boolean {
  const [name = ''] = text.split('=', 1);
  return attributeNames.has(trimSpaces(name).toLowerCase());
}

/** What an attribute may say, where the name alone could be that of a cookie. */
const attributeValues: { readonly [name: string]: RegExp } = {
  domain: /^\.?(?:[a-z\d-]{1,63}\.){1,20}[a-z\d-]{2,63}$/i,
  expires: /^"?[a-z]{3,9}, ?\d{1,2}[ -][a-z]{3}[ -]\d{2,4}/i,
  httponly: /^$/,
  'max-age': /^-?\d{1,15}$/,
  partitioned: /^$/,
  path: /^\/[^;]{0,200}$/,
  samesite: /^(?:strict|lax|none)$/i,
  secure: /^$/,
};

/** True where what stands in the place of name and value is an attribute: "Path=/", "secure". Browsers take it for a cookie of its own. */
export function isAttributePair(pair: string): boolean {
  const equals = pair.indexOf('=');
  const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
  const key = trimSpaces(name).toLowerCase();
  return Object.hasOwn(attributeValues, key) && attributeValues[key]?.test(trimSpaces(value)) === true;
}

/**
 * Takes a Set-Cookie line apart at the commas that join whole cookies: "a=1; Path=/, sid=2; Secure" → "a=1; Path=/" and "sid=2; Secure".
 * Proxies and adapters join them which treat Set-Cookie like other fields (RFC 9110 §5.3 excepts it); browsers keep the first and read the
 * others as a part of it. A comma in a date or a value joins nothing.
 * @returns the line itself where nothing was joined; put together again by `map`
 */
export function splitJoined(line: string): readonly string[] {
  return divide(line).lines;
}

/** The line with each of its cookies mapped; the commas between them stay as they are. */
export function mapJoined(line: string, map: (cookie: string) => string): string {
  const { lines, commas } = divide(line);
  return lines.map((cookie, at) => `${commas[at - 1] ?? ''}${map(cookie)}`).join('');
}

function divide(line: string): { readonly lines: readonly string[]; readonly commas: readonly string[] } {
  const lines: string[] = [];
  const commas: string[] = [];
  let begun = '';
  for (const [at, piece] of line.split(';').entries()) {
    let rest = piece;
    let isPair = at === 0;
    if (at > 0) begun += ';';
    for (let joint = findJoint(rest, isPair); joint; joint = findJoint(rest, isPair)) {
      lines.push(begun + rest.slice(0, joint.at));
      commas.push(joint.comma);
      rest = rest.slice(joint.at + joint.comma.length);
      begun = '';
      isPair = true;
    }
    begun += rest;
  }
  return { lines: [...lines, begun], commas };
}

/** Commas of one piece that are looked at: each costs a look at all that is before it. */
const candidateLimit = 20;

/** A comma, what may be a cookie's name, and the beginning of its value. Base64 may end in two equals signs. */
const joint = /(,[ \t]{0,9})[^\s=,;"]{1,100}=(?=[^=\s])/g;

function findJoint(
  piece: string,
  isPair: boolean,
): { readonly at: number; readonly comma: string } | undefined {
  const follows = isPair ? endsValue : endsAttribute;
  let left = candidateLimit;
  for (const { 1: comma = '', index } of piece.matchAll(joint)) {
    if (follows(piece.slice(0, index), comma)) return { at: index, comma };
    left -= 1;
    if (left === 0) return undefined;
  }
  return undefined;
}

function endsAttribute(before: string): boolean {
  return isAttribute(before) && (before.match(/"/g)?.length ?? 0) % 2 === 0;
}

// Values with commas and equals signs of their own are common. A space none may have (RFC 6265 §4.1.1); what stands for a masked value may.
function endsValue(pair: string, comma: string): boolean {
  const value = pair.slice(pair.indexOf('=') + 1);
  return comma.length > 1 && /^(?:\[\d{1,7} octets[^\]]{0,20}\]|[^"={([]*)$/.test(value);
}
