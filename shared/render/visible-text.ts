/**
 * What a reader does not see, or what turns the order of reading: controls (C0, C1), marks of format and direction,
 * lone surrogates, line separators, fillers, noncharacters. Variation selectors stay, every second emoji has one.
 */
const unseen =
  /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}]--[\u{fe00}-\u{fe0f}]]/gv;

/** One line of text in which everything can be seen: `␊` for a line feed, `⟨U+202E⟩` for what has no picture. */
export function visible(text: string): string {
  return text.replace(unseen, picture);
}

/** As `visible`, for a block: line feeds and tabs stay what they are. */
export function visibleLines(text: string): string {
  return text.replace(unseen, (character) =>
    character === '\n' || character === '\t' ? character : picture(character),
  );
}

/** Compact or indented JSON in which unseen characters stand as `\u202e`: the same value, and nothing hides in it. */
export function jsonText(value: unknown, indent = 0): string {
  // A line feed outside of a string is layout; inside it is escaped already.
  return JSON.stringify(value, null, indent).replace(unseen, (character) =>
    character === '\n' ? character : escapeUnits(character),
  );
}

/** At most `limit` UTF-16 units, never half a character; what was left out is counted. */
export function cut(text: string, limit: number): string {
  const kept = clip(text, limit);
  return kept.length === text.length ? text : `${kept}… (${text.length - kept.length} more)`;
}

/** The first `limit` UTF-16 units, never half a character. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return text.slice(0, isHighSurrogate(text.charCodeAt(limit - 1)) ? limit - 1 : limit);
}

/** A value of a report as text: strings as they are, all else as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : jsonText(value);
}

/** There are some thousands of unseen characters, and a hostile report repeats one of them 170,000 times: each is written once. */
function remembering(write: (character: string) => string): (character: string) => string {
  const written = new Map<string, string>();
  return (character) => {
    const known = written.get(character);
    if (known !== undefined) return known;
    const text = write(character);
    written.set(character, text);
    return text;
  };
}

const picture = remembering((character) => {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '␡';
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
});

const escapeUnits = remembering((character) => {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
});

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

const longestLink = 2000;

/**
 * The address as a link may carry it: http or https, no user information, only characters that
 * end no link in any format; `&` still needs the format's own escape. undefined for everything else, `javascript:` and `data:` first of all.
 */
export function linkTo(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
  if (url.username !== '' || url.password !== '' || url.href.length > longestLink) return undefined;
  return url.href.replace(/[^\w!#$%&+,\-./:;=?@~]/g, encodeURIComponentStrictly);
}

/** Percent-encodes as RFC 3986 reserves, with `!'()*` too; half a surrogate pair becomes U+FFFD. */
export function encodeURIComponentStrictly(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
