import { readToken } from './code-tokens.ts';

/** Tokens of a script from a place up to another. */
type Range = { readonly from: number; to: number };

/** Code that runs together: the top level of a script, or the body of one of its functions. */
export type Scope = { readonly ranges: Range[] };

/** A script as it is read: each character once, whatever calls what. */
export type Script = {
  /** Its tokens, see `readToken`. */
  readonly code: string[];
  /** What runs as the page loads. */
  readonly top: Scope;
  /** Bodies that run once somebody calls them, by the name of their function. */
  readonly functions: Map<string, Scope[]>;
};

type Source = { readonly text: string; readonly scope: Scope | undefined; at: number };

/** Reads a script a piece at a time. */
export type ScriptReader = {
  readonly script: Script;
  /** Reads about as many characters more. @returns true at the end */
  readonly read: (characters: number) => boolean;
};

type Open =
  | { readonly kind: 'block'; readonly outer: Scope | undefined }
  /** The body of an arrow function without a block; `depth` are the parentheses that were open. */
  | { readonly kind: 'arrow'; readonly outer: Scope | undefined; readonly depth: number };

type Nesting = {
  readonly open: Open[];
  /** For each open parenthesis how many tokens stand before it. */
  readonly parentheses: number[];
  /** Those before the parenthesis that closed last. */
  closed: number;
  /** Where code goes now; undefined for bodies that nobody can call by a name. */
  scope: Scope | undefined;
};

type CodeState = {
  readonly script: Script;
  /** The script, and behind it the texts of its timers. */
  readonly sources: Source[];
  /** Sources that were read to their end. */
  done: number;
  nesting: Nesting;
};

/** A script that nests deeper is no usual one: the rest of it is not read. */
const nestingLimit = 1000;

/** Begins to read a script. */
export function openScript(text: string): ScriptReader {
  const top: Scope = { ranges: [] };
  const script: Script = { code: [], top, functions: new Map() };
  const sources: Source[] = [{ text, scope: top, at: 0 }];
  const reading: CodeState = { script, sources, done: 0, nesting: openNesting(top, 0) };
  return { script, read: (characters) => readSources(reading, characters) };
}

// A timer may be given its code as text, which is read behind the script. It is shorter than what holds it, so this ends.
function readSources(reading: CodeState, characters: number): boolean {
  const { sources, script } = reading;
  for (let left = characters; left > 0;) {
    const source = sources[reading.done];
    if (!source) return true;
    if (source.at === 0) begin(reading, source);
    const from = source.at;
    const isDone = readSource(reading, source, left);
    left -= source.at - from;
    if (!isDone) continue;
    endRange(reading.nesting.scope, script.code.length);
    reading.done += 1;
  }
  return reading.done === sources.length;
}

function begin(reading: CodeState, { scope }: Source): void {
  reading.script.code.push(';');
  reading.nesting = openNesting(scope, reading.script.code.length);
}

function readSource(reading: CodeState, source: Source, characters: number): boolean {
  const { text } = source;
  const until = Math.min(text.length, source.at + characters);
  while (source.at < until) {
    const { end, token } = readToken(text, source.at);
    source.at = end;
    // Of several line ends in a row one is kept.
    const isSpace = token === '' || (token === '\n' && reading.script.code.at(-1) === '\n');
    if (!isSpace) readNext(reading, token);
    if (reading.nesting.open.length + reading.nesting.parentheses.length > nestingLimit) return true;
  }
  return source.at >= text.length;
}

function readNext(reading: CodeState, token: string): void {
  const { script, nesting, sources } = reading;
  const { code } = script;
  beginBody(reading, token);
  if (endings.has(token)) endBodies(nesting, token, code.length);
  if (token === '(') nesting.parentheses.push(code.length);
  else if (token === ')') nesting.closed = nesting.parentheses.pop() ?? 0;
  else if (token === '{') {
    nesting.open.push({ kind: 'block', outer: nesting.scope });
    enter(nesting, scopeOfNext(reading), code.length);
  } else if (token === '}') closeBlock(nesting, code.length);
  else if (token.startsWith('"') && nesting.scope && isTimer(code))
    sources.push({ text: token.slice(1), scope: nesting.scope, at: 0 });
  if (token === ']' && isNameInBrackets(code)) dotName(code);
  else code.push(token);
}

// `window["location"]` is window.location.
function isNameInBrackets(code: readonly string[]): boolean {
  const [owner = '', open, name = ''] = code.slice(-3);
  return (
    open === '[' && /^"[A-Za-z_$][\w$]{0,60}$/.test(name) && /^(?:[\w$\u0080-\uffff]+|[)\]])$/.test(owner)
  );
}

function dotName(code: string[]): void {
  const name = code.pop() ?? '';
  code.pop();
  code.push('.', name.slice(1));
}

const endings: ReadonlySet<string> = new Set([')', ';', ',', '}', '\n']);

// The body of an arrow function is a block, or goes on to the end of its expression.
function beginBody(reading: CodeState, token: string): void {
  const { nesting, script } = reading;
  if (token === '{' || token === '\n' || script.code[lastBefore(script.code, script.code.length)] !== '=>')
    return;
  nesting.open.push({ kind: 'arrow', outer: nesting.scope, depth: nesting.parentheses.length });
  enter(nesting, scopeOfNext(reading), script.code.length);
}

function endBodies(nesting: Nesting, token: string, at: number): void {
  const { open, parentheses } = nesting;
  for (let last = open.at(-1); last?.kind === 'arrow'; last = open.at(-1)) {
    if (token !== '}' && parentheses.length > last.depth) return;
    open.pop();
    enter(nesting, last.outer, at);
  }
}

function closeBlock(nesting: Nesting, at: number): void {
  const block = nesting.open.pop();
  if (block) enter(nesting, block.outer, at);
}

function enter(nesting: Nesting, scope: Scope | undefined, at: number): void {
  if (scope === nesting.scope) return;
  endRange(nesting.scope, at);
  nesting.scope = scope;
  scope?.ranges.push({ from: at, to: at });
}

function endRange(scope: Scope | undefined, at: number): void {
  const range = scope?.ranges.at(-1);
  if (range) range.to = at;
}

function openNesting(scope: Scope | undefined, at: number): Nesting {
  scope?.ranges.push({ from: at, to: at });
  return { open: [], parentheses: [], closed: 0, scope };
}

/** Where the code of the block, or of the body behind an arrow, that begins here belongs. */
function scopeOfNext({ script, nesting }: CodeState): Scope | undefined {
  const { code, functions } = script;
  const end = endOfBefore(code, nesting.closed);
  const start = startOfFunction(code, end);
  if (runsAtOnce(code, end, start)) return nesting.scope;
  const name = nameOfFunction(code, end, start);
  if (name === undefined) return undefined;
  const scope: Scope = { ranges: [] };
  const known = functions.get(name);
  if (known) known.push(scope);
  else functions.set(name, [scope]);
  return scope;
}

/** How many tokens stand before a block or its parameters. */
function endOfBefore(code: readonly string[], closed: number): number {
  const last = lastBefore(code, code.length);
  const isArrow = code[last] === '=>';
  const before = isArrow ? lastBefore(code, last) : last;
  if (code[before] === ')') return closed;
  return isArrow ? before : code.length;
}

/** The same without `async function name`. */
function startOfFunction(code: readonly string[], end: number): number {
  let at = lastBefore(code, end);
  if (code[lastBefore(code, at)] === 'function') at = lastBefore(code, at);
  if (code[at] === 'function') at = lastBefore(code, at);
  if (code[at] === 'async') at = lastBefore(code, at);
  return at + 1;
}

const blocks = new Set(['if', 'else', 'try', 'finally', 'switch', 'for', 'while', 'do']);
const ends = new Set<string | undefined>([undefined, ';', '\n', '}']);
const signs = new Set<string | undefined>(['!', '+', '~', '-', 'void', 'new']);
const beforeGroup = new Set<string | undefined>([...ends, '=', '!', '&', '|', '&&', '||', ',']);
const callers = new Set<string | undefined>([
  'setTimeout',
  'requestAnimationFrame',
  'queueMicrotask',
  '$',
  'jQuery',
]);

/** Whether code runs as the page loads, by what stands before it: up to `end`, and up to `start` without the head of its function. */
function runsAtOnce(code: readonly string[], end: number, start: number): boolean {
  if (blocks.has(code[lastBefore(code, end)] ?? '') || ends.has(code[end - 1])) return true;
  const last = lastBefore(code, start);
  const before = lastBefore(code, last);
  if (code[last] === '=') return code[before] === 'onload';
  if (code[last] === ',') return isListener(code, last);
  if (code[last] === '(') return isCalledGroup(code, last);
  const isFunction = start <= lastBefore(code, end);
  return isFunction && signs.has(code[last]) && ends.has(code[last - 1]);
}

/** Whether what stands in the parentheses that open at a place runs: a group that is called, or a callback of loading. */
function isCalledGroup(code: readonly string[], open: number): boolean {
  const before = lastBefore(code, open);
  if (beforeGroup.has(code[open - 1]) || callers.has(code[before])) return true;
  return (code[before] === 'ready' || code[before] === 'then') && code[lastBefore(code, before)] === '.';
}

/** Whether the function behind a comma listens for the page to be loaded. */
export function isListener(code: readonly string[], comma: number): boolean {
  const isLoad = /^"(?:load|DOMContentLoaded|pageshow)$/.test(code[comma - 1] ?? '');
  return isLoad && code[comma - 2] === '(' && code[comma - 3] === 'addEventListener';
}

function nameOfFunction(code: readonly string[], end: number, start: number): string | undefined {
  const last = lastBefore(code, end);
  if (code[lastBefore(code, last)] === 'function') return code[last];
  const sign = lastBefore(code, start);
  const name = code[lastBefore(code, sign)];
  return code[sign] === '=' && name !== undefined && /^[\w$]/.test(name) ? name : undefined;
}

function isTimer(code: readonly string[]): boolean {
  const last = lastBefore(code, code.length);
  return code[last] === '(' && code[lastBefore(code, last)] === 'setTimeout';
}

/** The place of the last token before a place that is no line end. */
export function lastBefore(code: readonly string[], at: number): number {
  return code[at - 1] === '\n' ? at - 2 : at - 1;
}
