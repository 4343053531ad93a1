/** What a script does with the visitor's address as it loads. */
export type AddressSetter = {
  /** The text it sets, where that is one plain string; null where it is computed. */
  readonly target: string | null;
};

/**
 * Finds where a script sets the visitor's address as it loads: by an assignment, or a call of replace or assign, at the top level or in
 * a block that runs at once (if and else, try, setTimeout, onload, a function that is called where it stands).
 * A guess: the script is neither run nor parsed in full.
 */
export function findAddressSetter(script: string): AddressSetter | undefined {
  const literals: string[] = [];
  const found = addressSetter.exec(reduceToRunning(script, literals));
  if (!found) return undefined;
  const [, index, rest = ''] = found;
  const isWhole = index !== undefined && !/^ ?[+.]/.test(rest);
  return { target: isWhole ? (literals[Number(index)] ?? null) : null };
}

// Matched against reduced text, where spaces are single: no part of it can match the same run in two ways.
const addressSetter = new RegExp(
  [
    String.raw`(?:^|[;\n()]|\belse) ?`,
    String.raw`(?:(?:window|document|self|top|parent)\s?\.\s?)?location\s?`,
    String.raw`(?:(?:\.\s?href\s?)?=\s?(?=[^=>\s])|\.\s?(?:replace|assign)\s?\(\s?)`,
    String.raw`(?:"(\d+)")?(\s?.?)`,
  ].join(''),
);

/** What stands before a block or its parameters where the block runs as the page loads. */
const running = [
  /\b(?:if|else|try|finally)\s?$/,
  /\bonload\s?=\s?(?:async )?(?:function ?\w*\s?)?$/,
  /\bsetTimeout\s?\(\s?(?:async )?(?:function ?\w*\s?)?$/,
  /\baddEventListener\s?\(\s?"load"\s?,\s?(?:async )?(?:function ?\w*\s?)?$/,
  /(?:^|[;\n]\s?)[!+~]function ?\w*\s?$/,
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
  /** Open blocks that do not run at once. */
  hidden: number;
};

/** The code that runs at once: no comments, each string its number in `literals`, every other block one ";", spaces and line ends single. */
function reduceToRunning(script: string, literals: string[]): string {
  const reading: Reading = {
    kept: [],
    literals,
    blocks: [],
    parentheses: [],
    closed: '',
    context: '',
    hidden: 0,
  };
  for (let at = 0; at < script.length; ) {
    const { end, text } = readPiece(script, at, literals);
    at = end;
    followNesting(reading, text);
    keepPiece(reading, text === '}' || (text === '{' && reading.hidden === 0) ? ';' : text);
  }
  return reading.kept.join('');
}

function followNesting(reading: Reading, text: string): void {
  const { parentheses, blocks, context } = reading;
  if (text === '(' && parentheses.length < nestingLimit) parentheses.push(context);
  else if (text === ')') reading.closed = parentheses.pop() ?? '';
  else if (text === '{') {
    const before = /(?:\)|=>)\s?$/.test(context) ? reading.closed : context;
    const runs = running.some((pattern) => pattern.test(before));
    blocks.push(runs);
    if (!runs) reading.hidden += 1;
  } else if (text === '}' && blocks.pop() === false) reading.hidden -= 1;
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

/** Longer strings are no addresses that anybody follows. */
const literalLength = 2048;

function readString(script: string, at: number, literals: string[]): Piece {
  const end = endOfString(script, at);
  const text = end - at > literalLength ? '' : script.slice(at + 1, end - 1);
  const isPlain = script[at] !== '`' || !text.includes('${');
  literals.push(isPlain ? text.replace(/\\(.)/gs, '$1') : '');
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
