import { isListener, lastBefore, openScript, type Scope, type Script } from './running-code.ts';

/** What a script does with the visitor's address as it loads. */
export type AddressSetter = {
  /** What it sets, "${location.host}" and the like for parts of the page's own address; null where it is computed otherwise. */
  readonly target: string | null;
};

/** Functions that call functions that set the address: deeper chains are not followed. */
const rounds = 3;

/**
 * Finds where a script sets the visitor's address as it loads: by an assignment, or a call of replace or assign, at the top level or in
 * code that runs at once (blocks, setTimeout, onload, a function that is called there).
 * A guess: the script is neither run nor parsed in full.
 */
export function findAddressSetter(text: string): AddressSetter | undefined {
  const { script, read } = openScript(text);
  read(Infinity);
  return searchScript(script).setter;
}

/** What was found in a script, and the names that its running code calls. */
export type Found = { readonly setter: AddressSetter | undefined; readonly called: ReadonlySet<string> };

/** Searches what runs of a script, each piece of it once. @param scopes what runs of it at first */
export function searchScript(script: Script, scopes: readonly Scope[] = [script.top]): Found {
  const called = new Set<string>();
  const searched: Scope[] = [];
  for (let round = 0, next = scopes; round < rounds && next.length > 0; round += 1) {
    const names = new Set<string>();
    for (const scope of next) {
      searched.push(scope);
      const at = searchScope(script.code, scope, names);
      if (at !== undefined)
        return { setter: { target: readTarget(script.code, at, [script.top, ...searched]) }, called };
    }
    const more = [...names].filter((name) => !called.has(name));
    for (const name of more) called.add(name);
    next = more.flatMap((name) => script.functions.get(name) ?? []);
  }
  return { setter: undefined, called };
}

/** Where the value stands that the address is set to; on the way the names of what is called are kept. */
function searchScope(code: readonly string[], { ranges }: Scope, names: Set<string>): Value | undefined {
  for (const { from, to } of ranges)
    for (let at = from; at < to; at += 1) {
      const value = code[at] === 'location' ? findValue(code, at) : undefined;
      if (value) return value;
      const name = calledBehind(code, at) ?? calledBefore(code, at);
      if (name !== undefined) names.add(name);
    }
  return undefined;
}

/** Where a value begins, and which part of the address it sets; "href" is all of it. */
type Value = { readonly at: number; readonly part: string };

const boundaries = new Set<string | undefined>([
  undefined,
  ';',
  '\n',
  '(',
  ')',
  '?',
  ':',
  ',',
  '{',
  '}',
  '=>',
  '&&',
  '||',
  'else',
  'return',
]);
const windows = new Set<string | undefined>(['window', 'document', 'self', 'top', 'parent', 'globalThis']);
const settableParts = new Set(['href', 'protocol', 'host', 'hostname', 'port', 'pathname', 'search']);

/** The value that is set where `location` stands at a place. */
function findValue(code: readonly string[], location: number): Value | undefined {
  if (!boundaries.has(code[startOfPath(code, location) - 1])) return undefined;
  let at = nextOf(code, location);
  let part = 'href';
  if (code[at] === '.') {
    part = code[nextOf(code, at)] ?? '';
    at = nextOf(code, nextOf(code, at));
    if (part === 'replace' || part === 'assign')
      return code[at] === '(' ? { at: nextOf(code, at), part: 'href' } : undefined;
    if (!settableParts.has(part)) return undefined;
  }
  const value = nextOf(code, at);
  return code[at] === '=' && code[value] !== undefined ? { at: value, part } : undefined;
}

/** Where `window.top.` and the like begin that stand before a place. */
function startOfPath(code: readonly string[], at: number): number {
  let start = at;
  for (let count = 0; count < 3; count += 1) {
    const dot = lastBefore(code, start);
    if (code[dot] !== '.') return start;
    const owner = lastBefore(code, dot);
    if (!windows.has(code[owner])) return start;
    start = owner;
  }
  return start;
}

const beforeCall = new Set<string | undefined>([
  undefined,
  ';',
  '\n',
  '{',
  '}',
  '&&',
  '||',
  'else',
  'return',
  '=>',
]);

/** The name that is called by the parenthesis at a place, as a statement. */
function calledBefore(code: readonly string[], at: number): string | undefined {
  if (code[at] !== '(') return undefined;
  const name = lastBefore(code, at);
  return beforeCall.has(code[name - 1]) ? nameAt(code, name) : undefined;
}

const timers = new Set<string | undefined>([
  'setTimeout',
  'requestAnimationFrame',
  'queueMicrotask',
  'ready',
  '$',
  'jQuery',
]);

/** The name that is handed on at a place to be called as the page loads. */
function calledBehind(code: readonly string[], at: number): string | undefined {
  if (code[at] !== '=' && code[at] !== '(') return undefined;
  const before = code[lastBefore(code, at)];
  const next = nextOf(code, at);
  if (code[at] === '=') return before === 'onload' ? nameAt(code, next) : undefined;
  if (before === 'addEventListener' && code[next + 1] === ',' && isListener(code, next + 1))
    return argumentAt(code, nextOf(code, next + 1));
  return timers.has(before) ? argumentAt(code, next) : undefined;
}

function argumentAt(code: readonly string[], at: number): string | undefined {
  const end = code[nextOf(code, at)];
  return end === ',' || end === ')' ? nameAt(code, at) : undefined;
}

function nameAt(code: readonly string[], at: number): string | undefined {
  const token = code[at];
  return token !== undefined && /^[A-Za-z_$]/.test(token) ? token : undefined;
}

function readTarget(code: readonly string[], { at, part }: Value, scopes: readonly Scope[]): string | null {
  // Setting a part of the address keeps the rest of it.
  if (part !== 'href') return null;
  const name = valueEnds.has(code[at + 1]) ? nameAt(code, at) : undefined;
  const value = name === undefined ? at : findOnlyValue(code, name, scopes);
  return value === undefined ? null : readSum(code, value);
}

/** Where the one value of a variable stands; undefined where it is set more than once, or nowhere. */
function findOnlyValue(code: readonly string[], name: string, scopes: readonly Scope[]): number | undefined {
  let value: number | undefined;
  for (const { from, to } of new Set(scopes.flatMap(({ ranges }) => ranges)))
    for (let at = from; at < to; at += 1) {
      if (code[at] !== name || code[nextOf(code, at)] !== '=' || code[at - 1] === '.') continue;
      if (value !== undefined) return undefined;
      value = nextOf(code, nextOf(code, at));
    }
  return value;
}

const operandLimit = 50;

/** Strings and parts of the page's own address, joined by plus signs, and nothing behind them. */
function readSum(code: readonly string[], from: number): string | null {
  let sum = '';
  let at = from;
  for (let count = 0; count < operandLimit; count += 1) {
    const operand = readOperand(code, at);
    if (!operand) return null;
    sum += operand.text;
    const plus = nextOf(code, operand.last);
    if (code[plus] !== '+') return valueEnds.has(code[operand.last + 1]) ? sum : null;
    at = nextOf(code, plus);
  }
  return null;
}

const ownWindows = new Set<string | undefined>(['window', 'document', 'self']);
const ownParts = new Set(['origin', 'href', 'protocol', 'host', 'hostname', 'pathname', 'search', 'hash']);

/** A string, or a part of the page's own address; and the place of its last token. */
function readOperand(code: readonly string[], from: number): { text: string; last: number } | undefined {
  const token = code[from];
  if (token?.startsWith('"') === true) return { text: token.slice(1), last: from };
  const dot = nextOf(code, from);
  const location = ownWindows.has(token) && code[dot] === '.' ? nextOf(code, dot) : from;
  const partDot = nextOf(code, location);
  const last = nextOf(code, partDot);
  const part = code[last] ?? '';
  const isOwn = code[location] === 'location' && code[partDot] === '.' && ownParts.has(part);
  return isOwn ? { text: `\${location.${part}}`, last } : undefined;
}

const valueEnds = new Set<string | undefined>([undefined, ';', '\n', ')', ',', '}', '{']);

/** The place of the next token behind a place that is no line end. */
function nextOf(code: readonly string[], at: number): number {
  return code[at + 1] === '\n' ? at + 2 : at + 1;
}
