const theWindow = Symbol('the window');
const theLocation = Symbol('the location');

/** What part of a condition says; undefined where nobody can tell without running the script. */
type Value = string | number | boolean | typeof theWindow | typeof theLocation | undefined;

type Reader = {
  readonly code: readonly string[];
  readonly page: URL;
  readonly to: number;
  at: number;
};

/** Longer conditions are not read. */
const tokenLimit = 100;
/** Nor those that nest deeper. */
const depthLimit = 20;

/**
 * Says whether a condition about the page's own address is true, as `location.protocol !== "https:"` is not on an https page, or
 * `top !== self` on a page that is in no frame.
 * @param from the place of its first token; `to` that behind its last
 * @returns undefined for conditions about anything else
 */
export function readCondition(
  code: readonly string[],
  from: number,
  to: number,
  page: URL,
): boolean | undefined {
  if (to - from > tokenLimit) return undefined;
  const reader: Reader = { code, page, to, at: from };
  skipLines(reader);
  const value = readEither(reader, 0);
  return reader.at >= to ? truthOf(value) : undefined;
}

function truthOf(value: Value): boolean | undefined {
  return value === undefined ? undefined : Boolean(value);
}

function peek(reader: Reader): string | undefined {
  return reader.at < reader.to ? reader.code[reader.at] : undefined;
}

function take(reader: Reader): string | undefined {
  const token = peek(reader);
  if (reader.at < reader.to) reader.at += 1;
  skipLines(reader);
  return token;
}

function skipLines(reader: Reader): void {
  while (reader.at < reader.to && reader.code[reader.at] === '\n') reader.at += 1;
}

function readEither(reader: Reader, depth: number): Value {
  let value = readBoth(reader, depth);
  while (peek(reader) === '||') {
    take(reader);
    const [one, other] = [truthOf(value), truthOf(readBoth(reader, depth))];
    value = one === true || other === true ? true : one === false && other === false ? false : undefined;
  }
  return value;
}

function readBoth(reader: Reader, depth: number): Value {
  let value = readEquality(reader, depth);
  while (peek(reader) === '&&') {
    take(reader);
    const [one, other] = [truthOf(value), truthOf(readEquality(reader, depth))];
    value = one === false || other === false ? false : one === true && other === true ? true : undefined;
  }
  return value;
}

/** Two values beside `==`, `!==`, `<`, `>` and the like. */
function readEquality(reader: Reader, depth: number): Value {
  const left = readNegation(reader, depth);
  const sign = readSign(reader);
  if (sign === '') return left;
  const right = readNegation(reader, depth);
  // Values of two kinds are equal or not by rules that no such condition needs.
  if (typeof left !== typeof right) return undefined;
  if (typeof left === 'symbol' || typeof right === 'symbol') return readSame(sign, left === right);
  return left === undefined || right === undefined ? undefined : comparisons[sign]?.(left, right);
}

function readSame(sign: string, isSame: boolean): boolean | undefined {
  if (sign === '==') return isSame;
  return sign === '!=' ? !isSame : undefined;
}

type Plain = string | number | boolean;
type Compare = (left: Plain, right: Plain) => boolean;
const comparisons: { readonly [sign: string]: Compare } = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<': (left, right) => left < right,
  '>': (left, right) => left > right,
  '<=': (left, right) => left <= right,
  '>=': (left, right) => left >= right,
};

/** The sign of a comparison, strict or not, of which the tokens are "===", "==", "!" and "=", or "!" and "==". */
function readSign(reader: Reader): string {
  const sign = peek(reader) ?? '';
  if (sign === '===' || sign === '==') {
    take(reader);
    return '==';
  }
  if (!/^[!<>]$/.test(sign)) return '';
  take(reader);
  const hasEquals = peek(reader) === '=' || peek(reader) === '==';
  if (hasEquals) take(reader);
  return hasEquals ? `${sign}=` : sign;
}

function readNegation(reader: Reader, depth: number): Value {
  const sign = peek(reader);
  if (depth > depthLimit) return undefined;
  if (sign !== '!' && sign !== '-') return readPath(reader, depth);
  take(reader);
  const value = readNegation(reader, depth + 1);
  if (sign === '-') return typeof value === 'number' ? -value : undefined;
  const truth = truthOf(value);
  return truth === undefined ? undefined : !truth;
}

function readPath(reader: Reader, depth: number): Value {
  const first = take(reader) ?? '';
  let value: Value = readFirst(first, reader, depth);
  while (peek(reader) === '.') {
    take(reader);
    const name = take(reader) ?? '';
    value =
      peek(reader) === '(' ? call(value, name, readArguments(reader, depth)) : read(value, name, reader);
  }
  return value === theLocation ? reader.page.href : value;
}

const windows: ReadonlySet<string> = new Set(['window', 'self', 'top', 'parent', 'globalThis']);

function readFirst(token: string, reader: Reader, depth: number): Value {
  if (token === '(') {
    const value = readEither(reader, depth + 1);
    return take(reader) === ')' ? value : undefined;
  }
  if (token.startsWith('"')) return token.slice(1);
  if (/^\d{1,9}$/.test(token)) return Number(token);
  if (token === 'true' || token === 'false') return token === 'true';
  if (token === 'location') return theLocation;
  return windows.has(token) || token === 'document' ? theWindow : undefined;
}

const locationParts: ReadonlySet<string> = new Set(
  'href protocol host hostname port pathname search hash origin'.split(' '),
);

function read(value: Value, name: string, { page }: Reader): Value {
  if (value === theLocation) return locationParts.has(name) ? page[name as 'href' | 'protocol'] : undefined;
  if (value === theWindow) {
    if (name === 'location') return theLocation;
    if (name === 'domain') return page.hostname;
    if (name === 'URL') return page.href;
    return windows.has(name) ? theWindow : undefined;
  }
  return typeof value === 'string' && name === 'length' ? value.length : undefined;
}

/** What stands between parentheses; undefined where any of it is unknown. */
function readArguments(reader: Reader, depth: number): readonly NonNullable<Value>[] | undefined {
  const values: Value[] = [];
  take(reader);
  while (peek(reader) !== ')') {
    const before = reader.at;
    values.push(readEither(reader, depth + 1));
    if (peek(reader) === ',') take(reader);
    if (reader.at === before || peek(reader) === undefined) return undefined;
  }
  take(reader);
  const known = values.filter((value) => value !== undefined);
  return known.length === values.length ? known : undefined;
}

function call(value: Value, name: string, values: readonly NonNullable<Value>[] | undefined): Value {
  if (typeof value !== 'string' || !values) return undefined;
  const [first, second] = values;
  if (name === 'toLowerCase') return value.toLowerCase();
  if (typeof first === 'string')
    return Object.hasOwn(searches, name) ? searches[name]?.(value, first) : undefined;
  const isSlice = (name === 'substring' || name === 'slice') && typeof second === 'number';
  return isSlice && typeof first === 'number' ? value[name](first, second) : undefined;
}

const searches: { readonly [name: string]: ((text: string, part: string) => number | boolean) | undefined } =
  {
    indexOf: (text, part) => text.indexOf(part),
    startsWith: (text, part) => text.startsWith(part),
    endsWith: (text, part) => text.endsWith(part),
    includes: (text, part) => text.includes(part),
  };
