import { readCondition } from './own-condition.ts';
import { lastBefore } from './running-code.ts';

/** Code that does not run on a page, by conditions about the page's own address; found as a script is walked. */
export type DeadCode = {
  /** Where to go on at a place: there, or behind what does not run. */
  skip(at: number): number;
  /** Whether `&&`, `||` or `? :` before a place keep what stands there from running. */
  isCutOff(at: number): boolean;
};

/** Scripts that ask more of their address are no usual ones; the conditions after these are not read. */
const conditionLimit = 100;
/** How deep the statement of an `if` may be another one, or of its `else`. */
const ifLimit = 50;

/** Opens the search in a script. @param page the address of its page; without one nothing is known to be dead */
export function openDeadCode(code: readonly string[], page: URL | undefined): DeadCode {
  if (!page) return { skip: (at) => at, isCutOff: () => false };
  const ends = new Map<number, number>();
  let closers: ReadonlyMap<number, number> | undefined;
  let left = conditionLimit;
  const judge = (from: number, to: number) => {
    if (left === 0) return undefined;
    left -= 1;
    return readCondition(code, from, to, page);
  };
  const readIf = (at: number): number => {
    const open = nextOf(code, at);
    if (code[open] !== '(') return at;
    closers ??= findClosers(code);
    const close = closers.get(open);
    const truth = close === undefined ? undefined : judge(open + 1, close);
    if (close === undefined || truth === undefined) return at;
    const body = nextOf(code, close);
    const end = endOfStatement(code, body, closers);
    if (end === undefined) return at;
    if (!truth) return end;
    const other = elseBehind(code, end);
    if (other !== undefined)
      ends.set(other, endOfStatement(code, nextOf(code, other), closers) ?? code.length);
    if (leaves(code, body, end, closers)) ends.set(end, endOfBlock(code, end, closers));
    return at;
  };
  return {
    skip(at) {
      let place = at;
      for (let next = step(place); next > place; next = step(place)) place = next;
      return place;
    },
    isCutOff: (at) => isCutOff(code, at, judge),
  };

  function step(at: number): number {
    const end = ends.get(at) ?? at;
    if (end > at) return end;
    return code[at] === 'if' ? readIf(at) : at;
  }
}

/** Each opening parenthesis, bracket and brace with the place of its end. */
function findClosers(code: readonly string[]): ReadonlyMap<number, number> {
  const closers = new Map<number, number>();
  const open: number[] = [];
  for (const [at, token] of code.entries()) {
    if (token === '(' || token === '{' || token === '[') open.push(at);
    else if (token === ')' || token === '}' || token === ']') {
      const last = open.pop();
      if (last !== undefined) closers.set(last, at);
    }
  }
  return closers;
}

type Closers = ReadonlyMap<number, number>;

/** The place behind the statement that begins at a place, an `else` that belongs to it included; undefined where it nests too deep. */
function endOfStatement(code: readonly string[], from: number, closers: Closers): number | undefined {
  let at = from;
  let ifs = 0;
  for (let count = 0; count < ifLimit; count += 1) {
    const isHead = heads.has(code[at]) && code[nextOf(code, at)] === '(';
    if (isHead) {
      // if (…) if (…) …: the statement of the last is the end of all.
      if (code[at] === 'if') ifs += 1;
      at = nextOf(code, closers.get(nextOf(code, at)) ?? code.length);
      continue;
    }
    const end = code[at] === '{' ? (closers.get(at) ?? code.length) + 1 : endOfLine(code, at, closers);
    const other = ifs > 0 ? elseBehind(code, end) : undefined;
    if (other === undefined) return end;
    ifs -= 1;
    at = nextOf(code, other);
  }
  return undefined;
}

const heads = new Set<string | undefined>(['if', 'for', 'while']);

/** The place behind a statement without a block. */
function endOfLine(code: readonly string[], from: number, closers: Closers): number {
  for (let at = from; at < code.length; at += 1) {
    const token = code[at];
    if (token === ';') return at + 1;
    if (token === '}' || (token === '\n' && code[at + 1] !== '.')) return at;
    if (closers.has(at)) at = closers.get(at) ?? at;
  }
  return code.length;
}

function elseBehind(code: readonly string[], end: number): number | undefined {
  const at = code[end] === '\n' ? end + 1 : end;
  return code[at] === 'else' ? at : undefined;
}

/** Whether a statement ends its function: it is a `return` or `throw`, or a block with one of its own. */
function leaves(code: readonly string[], from: number, end: number, closers: Closers): boolean {
  for (let at = code[from] === '{' ? from + 1 : from; at < end; at += 1) {
    if (code[at] === 'return' || code[at] === 'throw') return true;
    at = closers.get(at) ?? at;
  }
  return false;
}

/** The place of the brace that closes the block around a place. */
function endOfBlock(code: readonly string[], from: number, closers: Closers): number {
  for (let at = from; at < code.length; at += 1) {
    if (code[at] === '}') return at;
    at = closers.get(at) ?? at;
  }
  return code.length;
}

type Judge = (from: number, to: number) => boolean | undefined;

function isCutOff(code: readonly string[], start: number, judge: Judge): boolean {
  let sign = lastBefore(code, start);
  while (code[sign] === '(') sign = lastBefore(code, sign);
  const token = code[sign];
  if (token === '&&' || token === '?') return judge(startOfExpression(code, sign), sign) === false;
  if (token === '||') return judge(startOfExpression(code, sign), sign) === true;
  if (token !== ':') return false;
  const question = findQuestion(code, sign);
  return question !== undefined && judge(startOfExpression(code, question), question) === true;
}

/** Longer expressions are not read. */
const expressionLimit = 100;
const starts = new Set<string | undefined>([
  ';',
  '\n',
  '{',
  '}',
  ',',
  '=>',
  '=',
  '?',
  ':',
  'else',
  'return',
  'void',
  undefined,
] as const);

function startOfExpression(code: readonly string[], sign: number): number {
  let depth = 0;
  for (let at = lastBefore(code, sign); sign - at < expressionLimit; at -= 1) {
    const token = code[at];
    if (token === ')') depth += 1;
    else if (token === '(') depth -= 1;
    if (depth < 0 || (depth === 0 && starts.has(token) && !isEquality(code, at))) return at + 1;
  }
  return sign;
}

// "!=" and "!==" are two tokens.
function isEquality(code: readonly string[], at: number): boolean {
  return code[at] === '=' && /^[!<>]$/.test(code[at - 1] ?? '');
}

function findQuestion(code: readonly string[], colon: number): number | undefined {
  let depth = 0;
  for (let at = colon - 1; colon - at < expressionLimit && at >= 0; at -= 1) {
    const token = code[at];
    if (token === ')') depth += 1;
    else if (token === '(') depth -= 1;
    else if (token === '?' && depth === 0) return at;
    if (depth < 0 || token === ';' || token === '{') return undefined;
  }
  return undefined;
}

/** The place of the next token behind a place that is no line end. */
export function nextOf(code: readonly string[], at: number): number {
  return code[at + 1] === '\n' ? at + 2 : at + 1;
}
