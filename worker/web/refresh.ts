/** Where a Refresh field or meta element leads, and after how many seconds. `target` is "" for the page itself. */
export type Refresh = { readonly seconds: number; readonly target: string };

/** Longer than anybody waits; keeps a number of a million digits from becoming Infinity, which JSON has not. */
const longestS = 1_000_000;

/**
 * Reads a refresh value step by step as browsers do (HTML Standard, shared declarative refresh steps).
 * @param text e.g. "5; url=https://a.test/" or "0;https://a.test/"
 * @returns undefined where browsers ignore it; fractions of a second are dropped
 */
export function parseRefresh(text: string): Refresh | undefined {
  const start = skip(text, 0, isSpace);
  const digitsEnd = skip(text, start, isDigit);
  if (digitsEnd === start && text[start] !== '.') return undefined;
  const seconds = Math.min(Number(text.slice(start, digitsEnd)), longestS);
  const timeEnd = skip(text, digitsEnd, (character) => isDigit(character) || character === '.');
  const separator = text[timeEnd];
  if (separator === undefined) return { seconds, target: '' };
  if (!isSpace(separator) && !isMark(separator)) return undefined;
  const mark = skip(text, timeEnd, isSpace);
  const target = skip(text, isMark(text[mark] ?? '') ? mark + 1 : mark, isSpace);
  return { seconds, target: readTarget(text, target) };
}

// "url" without a "=" is no prefix but the beginning of a path, and no quote is looked for then.
function readTarget(text: string, at: number): string {
  if (text.slice(at, at + 3).toLowerCase() !== 'url') return unquote(text, at);
  const equals = skip(text, at + 3, isSpace);
  return text[equals] === '=' ? unquote(text, skip(text, equals + 1, isSpace)) : text.slice(at);
}

function unquote(text: string, at: number): string {
  const quote = text[at];
  if (quote !== '"' && quote !== "'") return text.slice(at);
  const end = text.indexOf(quote, at + 1);
  return text.slice(at + 1, end === -1 ? text.length : end);
}

function skip(text: string, from: number, skips: (character: string) => boolean): number {
  let at = from;
  for (let character = text[at]; character !== undefined && skips(character); character = text[at]) at += 1;
  return at;
}

function isSpace(character: string): boolean {
  return '\t\n\f\r '.includes(character);
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

function isMark(character: string): boolean {
  return character === ';' || character === ',';
}
