const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

type DateParts = {
  readonly time?: readonly number[];
  readonly day?: number;
  readonly month?: number;
  readonly year?: number;
};

/**
 * Reads a cookie date by the lenient algorithm of RFC 6265 §5.1.1: tokens in any order, the first of each kind counts.
 * @returns Unix ms, or undefined where it is no date and the attribute is ignored
 */
export function parseCookieDate(text: string): number | undefined {
  const { time, day, month, year } = splitTokens(text).reduce<DateParts>(takeToken, {});
  if (!time || day === undefined || month === undefined || year === undefined) return undefined;
  const [hour = 0, minute = 0, second = 0] = time;
  if (year < 1601 || !isTimeOfDay(time)) return undefined;
  const date = new Date(Date.UTC(year, month, day, hour, minute, second));
  return date.getUTCDate() === day ? date.getTime() : undefined;
}

const kinds = [
  ['time', readTime],
  ['day', (token: string) => readDigits(token, 1, 2)],
  ['month', readMonth],
  ['year', readYear],
] as const;

// A token is taken for the first kind, in this order, that is still open and that it fits.
function takeToken(parts: DateParts, token: string): DateParts {
  for (const [kind, read] of kinds) {
    const value = parts[kind] === undefined ? read(token) : undefined;
    if (value !== undefined) return { ...parts, [kind]: value };
  }
  return parts;
}

function splitTokens(text: string): string[] {
  const tokens: string[] = [];
  let token = '';
  for (const sign of text.slice(0, 200)) {
    if (isDelimiter(sign.charCodeAt(0))) {
      if (token !== '') tokens.push(token);
      token = '';
    } else token += sign;
  }
  return token === '' ? tokens : [...tokens, token];
}

// %x09 / %x20-2F / %x3B-40 / %x5B-60 / %x7B-7E
function isDelimiter(code: number): boolean {
  return (
    code === 0x09 ||
    (code >= 0x20 && code <= 0x2f) ||
    (code >= 0x3b && code <= 0x40) ||
    (code >= 0x5b && code <= 0x60) ||
    (code >= 0x7b && code <= 0x7e)
  );
}

function readTime(token: string): readonly number[] | undefined {
  const found = /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\D|$)/.exec(token);
  return found?.slice(1, 4).map(Number);
}

function isTimeOfDay([hour = 0, minute = 0, second = 0]: readonly number[]): boolean {
  return hour <= 23 && minute <= 59 && second <= 59;
}

function readMonth(token: string): number | undefined {
  const at = months.indexOf(token.slice(0, 3).toLowerCase());
  return at < 0 ? undefined : at;
}

function readYear(token: string): number | undefined {
  const year = readDigits(token, 2, 4);
  if (year === undefined) return undefined;
  if (year >= 70 && year <= 99) return year + 1900;
  return year <= 69 ? year + 2000 : year;
}

// That many digits at the start, then the end or a character that is no digit.
function readDigits(token: string, least: number, most: number): number | undefined {
  let length = 0;
  while (length < token.length && length <= most && isDigit(token.charCodeAt(length))) length += 1;
  return length >= least && length <= most ? Number(token.slice(0, length)) : undefined;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
