/** What stands before a block or its parameters where the block runs as the page loads. */
const running = [
  /\b(?:if|else|try|finally|switch|for|while|do)\s?$/,
  /(?:^|[;\n}]) ?$/,
  /\bonload\s?=\s?(?:async )?(?:function ?\w*\s?)?$/,
  /(?:\bsetTimeout|\brequestAnimationFrame|\bqueueMicrotask|\.\s?ready|\.\s?then|\$|\bjQuery)\s?\(\s?(?:async )?(?:function ?\w*\s?)?$/,
  /\baddEventListener\s?\(\s?"load"\s?,\s?(?:async )?(?:function ?\w*\s?)?$/,
  /(?:^|[;\n]\s?)(?:[!+~-]|void |new )function ?\w*\s?$/,
  /(?:^|[;\n=!&|,]\s?)\(\s?(?:async )?(?:function ?\w*\s?)?$/,
];

const contextLength = 80;
const nestingLimit = 1000;

type Reading = {
  readonly kept: string[];
  readonly literals: string[];
  /** For each open block whether it runs at once. */
  readonly blocks: boolean[];
  /** What stood before each open parenthesis. */
  readonly parentheses: string[];
  /** What stood before the parenthesis that closed last. */
  closed: string;
  /** The last characters, of all code. */
  context: string;
  /** Open blocks, and the body of an arrow function without a block, that do not run at once. */
  hidden: number;
  /** An arrow was read, and not yet what stands behind it: whether its function runs at once. */
  arrow: { readonly runs: boolean } | undefined;
  /** Open parentheses where such a body began; it ends with them. */
  bodyDepth: number | undefined;
  readonly called: ReadonlySet<string>;
  /** Names of functions that do not run as far as is known. */
  readonly waiting: Set<string>;
};

/** What of a script runs as the page loads, and the texts that its `"number"`s stand for. */
export type Running = {
  readonly text: string;
  readonly literals: readonly string[];
  /** Names of functions that were left out. */
  readonly waiting: ReadonlySet<string>;
};

/**
 * The code that runs at once: no comments, each string its number in `literals`, every other block one ";", spaces and line ends single.
 * @param called names of functions that run too
 */
export function reduceToRunning(script: string, called: ReadonlySet<string>): Running {
  const literals: string[] = [];
  const waiting = new Set<string>();
  return { text: reduce(script, { literals, called, waiting }), literals, waiting };
}

type Into = Pick<Reading, 'called' | 'waiting'> & { readonly literals: string[] };
const timerStart = /\bsetTimeout\s?\(\s?$/;

function reduce(script: string, into: Into): string {
  const { literals } = into;
  const reading: Reading = {
    ...into,
    kept: [],
    blocks: [],
    parentheses: [],
    closed: '',
    context: '',
    hidden: 0,
    arrow: undefined,
    bodyDepth: undefined,
  };
  for (let at = 0; at < script.length;) {
    const { end, text } = readPiece(script, at, literals);
    const isTimer = text.startsWith('"') && reading.hidden === 0 && timerStart.test(reading.context);
    at = end;
    endBody(reading, text);
    beginBody(reading, text);
    followNesting(reading, text);
    keepPiece(reading, text === '}' || (text === '{' && reading.hidden === 0) ? ';' : text);
    // A timer may be given its code as text.
    if (isTimer) reading.kept.push(';', reduce(literals[Number(text.slice(1, -1))] ?? '', into), ';');
  }
  return reading.kept.join('');
}

function followNesting(reading: Reading, text: string): void {
  const { parentheses, blocks, context } = reading;
  if (text === '(' && parentheses.length < nestingLimit) parentheses.push(context);
  else if (text === ')') reading.closed = parentheses.pop() ?? '';
  else if (text === '>' && context.endsWith('=')) reading.arrow = { runs: runsAtOnce(reading) };
  else if (text === '{') {
    const runs = runsAtOnce(reading);
    blocks.push(runs);
    if (!runs) reading.hidden += 1;
  } else if (text === '}' && blocks.pop() === false) reading.hidden -= 1;
}

/** Whether a block, or the body behind an arrow, that begins here runs as the page loads. */
function runsAtOnce({ context, closed, called, waiting }: Reading): boolean {
  const before = /\)\s?(?:=>?)?\s?$/.test(context) ? closed : context.replace(/[\w$]+\s?=>?\s?$/, '');
  if (running.some((pattern) => pattern.test(before))) return true;
  const found =
    /\bfunction ([\w$]+) ?$/.exec(before) ?? /([\w$]+)\s?=\s?(?:async )?(?:function ?\w* ?)?$/.exec(before);
  const name = found?.[1];
  if (name === undefined) return false;
  waiting.add(name);
  return called.has(name);
}

// The body of an arrow function is a block, or goes on to the end of its expression.
function beginBody(reading: Reading, text: string): void {
  const { arrow } = reading;
  if (!arrow || isBlank(text)) return;
  reading.arrow = undefined;
  if (text === '{') return;
  if (arrow.runs) reading.kept.push(';');
  else if (reading.bodyDepth === undefined) {
    reading.bodyDepth = reading.parentheses.length;
    reading.hidden += 1;
  }
}

function endBody(reading: Reading, text: string): void {
  const { bodyDepth, parentheses } = reading;
  if (bodyDepth === undefined || parentheses.length > bodyDepth || !/^[);,}\n]$/.test(text)) return;
  reading.bodyDepth = undefined;
  reading.hidden -= 1;
}

function keepPiece(reading: Reading, piece: string): void {
  const { context, literals } = reading;
  if (isBlank(piece) && isBlank(context.at(-1) ?? ' ')) return;
  reading.context = (context + shownInContext(piece, literals)).slice(-contextLength);
  if (reading.hidden === 0) reading.kept.push(piece);
}

// Of an event's name only that it is one of loading matters.
function shownInContext(piece: string, literals: readonly string[]): string {
  if (!piece.startsWith('"')) return piece;
  const text = literals[Number(piece.slice(1, -1))] ?? '';
  return /^(?:load|DOMContentLoaded|pageshow)$/.test(text) ? '"load"' : '""';
}

type Piece = { readonly end: number; readonly text: string };

function readPiece(script: string, at: number, literals: string[]): Piece {
  const character = script[at] ?? '';
  if (script.startsWith('//', at) || script.startsWith('<!--', at))
    return { end: endOf(script, '\n', at), text: ' ' };
  if (script.startsWith('/*', at)) return { end: endOf(script, '*/', at + 2) + 2, text: ' ' };
  if ('"\'`'.includes(character)) return readString(script, at, literals);
  if (isBlank(character)) return readBlanks(script, at);
  return { end: at + 1, text: character };
}

/** What a template may take from the page's own address. */
const ownParts =
  /\$\{\s?(?:(?:window|document|self)\.)?location\.(origin|href|protocol|host|hostname|pathname|search|hash)\s?\}/g;

/** Longer strings are no addresses that anybody follows. */
const literalLength = 2048;

function readString(script: string, at: number, literals: string[]): Piece {
  const end = endOfString(script, at);
  const text = end - at > literalLength ? '' : script.slice(at + 1, end - 1);
  const isPlain = script[at] !== '`' || !text.replace(ownParts, '').includes('${');
  literals.push(isPlain ? text.replace(/\\(.)/gs, '$1').replace(ownParts, '$${location.$1}') : '');
  return { end, text: isPlain && text !== '' ? `"${literals.length - 1}"` : '""' };
}

function readBlanks(script: string, from: number): Piece {
  let end = from;
  while (isBlank(script[end] ?? '')) end += 1;
  return { end, text: script.slice(from, end).includes('\n') ? '\n' : ' ' };
}

// A quote inside of a regular expression opens a string that is none; only a template goes on over the end of its line.
function endOfString(script: string, from: number): number {
  const quote = script[from];
  for (let at = from + 1; at < script.length; at += 1) {
    if (script[at] === '\\') at += 1;
    else if (script[at] === quote) return at + 1;
    else if (script[at] === '\n' && quote !== '`') return at;
  }
  return script.length;
}

function endOf(script: string, mark: string, from: number): number {
  const end = script.indexOf(mark, from);
  return end === -1 ? script.length : end;
}

function isBlank(character: string): boolean {
  return character !== '' && character.trim() === '';
}
