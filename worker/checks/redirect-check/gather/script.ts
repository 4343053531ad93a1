import { resolveLocation } from '../../../web/location.ts';
import { isSamePage } from '../../../web/redirect.ts';
import { type DeadCode, nextOf, openDeadCode } from './dead-code.ts';
import { isListener, lastBefore, openScript, type Scope, type Script } from './running-code.ts';
import { actionOf, type PageForm, readSubmit } from './sent-form.ts';

/** What a script does with the visitor's address as it loads. */
export type AddressSetter = {
  /** What it sets, without a page "${location.host}" and the like for parts of its own address; null where it is computed otherwise. */
  readonly target: string | null;
};

/** Functions that call functions that set the address: deeper chains are not followed. */
const rounds = 3;

/** Where a script runs: the address of its page, that against which its addresses are resolved, and the page's forms. */
export type ScriptPlace = {
  readonly page: string;
  readonly base: string;
  readonly forms: readonly PageForm[];
};

/**
 * Finds where a script sets the visitor's address as it loads: by an assignment, or a call of replace or assign, at the top level or in
 * code that runs at once (blocks, setTimeout, onload, a function that is called there); or where it sends a form.
 * A guess: the script is neither run nor parsed in full.
 * @param place what the script asks of its own address is answered by it, and what leads to the page itself is left out
 */
export function findAddressSetter(text: string, place?: ScriptPlace): AddressSetter | undefined {
  const { script, read } = openScript(text);
  read(Infinity);
  return searchScript(script, place).setter;
}

/** What was found in a script, and the names that its running code calls. */
export type ScriptObservation = {
  readonly setter: AddressSetter | undefined;
  readonly called: ReadonlySet<string>;
};

/** Searches what runs of a script, each piece of it once. @param scopes what runs of it at first */
export function searchScript(
  script: Script,
  place: ScriptPlace | undefined,
  scopes: readonly Scope[] = [script.top],
): ScriptObservation {
  const { code } = script;
  const dead = openDeadCode(code, place && new URL(place.page));
  const called = new Set<string>();
  const searched: Scope[] = [];
  for (let round = 0, next = scopes; round < rounds && next.length > 0; round += 1) {
    const names = new Set<string>();
    for (const scope of next) {
      searched.push(scope);
      const read = (at: number) => readSetter(code, at, () => [script.top, ...searched], place);
      const setter = searchScope({ code, dead, names, read }, scope);
      if (setter) return { setter, called };
    }
    const more = [...names].filter((name) => !called.has(name));
    for (const name of more) called.add(name);
    next = more.flatMap((name) => script.functions.get(name) ?? []);
  }
  return { setter: undefined, called };
}

type Search = {
  readonly code: readonly string[];
  readonly dead: DeadCode;
  /** Names of what is called on the way. */
  readonly names: Set<string>;
  readonly read: (at: number) => AddressSetter | undefined;
};

/** The first place of a scope that sends the visitor away. */
function searchScope({ code, dead, names, read }: Search, { ranges }: Scope): AddressSetter | undefined {
  let alive = 0;
  for (const { from, to } of ranges)
    for (let at = Math.max(from, alive); at < to; at += 1) {
      alive = dead.skip(at);
      at = alive;
      if (at >= to) break;
      const setter = setters.has(code[at]) ? read(at) : undefined;
      if (setter && !dead.isCutOff(startOfPath(code, at))) return setter;
      const name = calledBehind(code, at) ?? calledBefore(code, at);
      if (name !== undefined) names.add(name);
    }
  return undefined;
}

const setters = new Set<string | undefined>(['location', 'submit', 'requestSubmit']);

/** What is set, or sent, at a place; undefined where it is nothing, or the address of the page itself. */
function readSetter(
  code: readonly string[],
  at: number,
  scopes: () => readonly Scope[],
  place: ScriptPlace | undefined,
): AddressSetter | undefined {
  const value = code[at] === 'location' ? findValue(code, at) : undefined;
  const setter = value ? { target: readTarget(code, value, scopes, place) } : readSending(code, at, place);
  const target = setter?.target ?? null;
  return place && target !== null && isHere(target, place) ? undefined : setter;
}

function readSending(
  code: readonly string[],
  at: number,
  place: ScriptPlace | undefined,
): AddressSetter | undefined {
  const form = readSubmit(code, at);
  if (!form || !place) return form && { target: null };
  // Where there is no form, the script made one, or sends something else.
  const isForm = place.forms.length > 0 || code.includes('"form');
  return isForm ? { target: actionOf(form, place.forms) } : undefined;
}

function isHere(target: string, { page, base }: ScriptPlace): boolean {
  const resolved = resolveLocation(target, base);
  return resolved !== undefined && isSamePage(resolved.url.href, page);
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

function readTarget(
  code: readonly string[],
  { at, part }: Value,
  scopes: () => readonly Scope[],
  place: ScriptPlace | undefined,
): string | null {
  const name = valueEnds.has(code[at + 1]) ? nameAt(code, at) : undefined;
  const isOwn = name === 'location';
  const value = name === undefined || isOwn ? at : findOnlyValue(code, name, scopes());
  const sum = value === undefined ? null : readSum(code, value);
  const text = place && sum !== null ? fillOwnParts(sum, place.page) : sum;
  if (part === 'href' || text === null) return text;
  return place ? withPart(place.page, part, text) : null;
}

// Setting a part of the address keeps the rest of it.
function withPart(page: string, part: string, text: string): string {
  const address = new URL(page);
  address[part as 'pathname'] = text;
  return address.href;
}

function fillOwnParts(target: string, page: string): string {
  const own = new URL(page) as unknown as Readonly<Record<string, string>>;
  return target.replace(/\$\{location\.(\w+)\}/g, (_, part: string) => own[part] ?? '');
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

/** A string, or the page's own address or a part of it; and the place of its last token. */
function readOperand(code: readonly string[], from: number): { text: string; last: number } | undefined {
  const token = code[from];
  if (token?.startsWith('"') === true) return { text: token.slice(1), last: from };
  const dot = nextOf(code, from);
  const location = ownWindows.has(token) && code[dot] === '.' ? nextOf(code, dot) : from;
  if (code[location] !== 'location') return undefined;
  const partDot = nextOf(code, location);
  if (code[partDot] !== '.') return { text: '${location.href}', last: location };
  const last = nextOf(code, partDot);
  const part = code[last] ?? '';
  return ownParts.has(part) ? { text: `\${location.${part}}`, last } : undefined;
}

const valueEnds = new Set<string | undefined>([undefined, ';', '\n', ')', ',', '}', '{']);
