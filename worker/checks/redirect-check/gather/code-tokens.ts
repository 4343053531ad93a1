/** One token of a script, and where it ends. A string is `"` and its text, or only a back quote where its text is not known. */
export type CodeToken = { readonly end: number; readonly token: string };

/** A string whose text is not known: it is empty, very long, or computed. */
const unknownString = '`';

const operators = ['===', '=>', '==', '&&', '||'] as const;
const word = /[\w$\u0080-\uffff]+/y;
const comments: readonly (readonly [start: string, end: string])[] = [
  ['//', '\n'],
  ['<!--', '\n'],
  ['/*', '*/'],
];

/**
 * Reads the token that begins at a place of a script: a word, a string, an operator, any other single character;
 * "\n" for blanks that hold a line end, "" for other blanks and comments.
 */
export function readToken(script: string, at: number): CodeToken {
  const character = script[at] ?? '';
  if (isBlank(character)) return readBlanks(script, at);
  if (quotes.has(character)) return readString(script, at);
  const comment = comments.find(([start]) => start[0] === character && script.startsWith(start, at));
  if (comment) return { end: endOfComment(script, at, comment), token: '' };
  word.lastIndex = at;
  const token = word.exec(script)?.[0] ?? readOperator(script, at);
  return { end: at + token.length, token };
}

const quotes: ReadonlySet<string> = new Set(['"', "'", '`']);

function readOperator(script: string, at: number): string {
  return operators.find((each) => script.startsWith(each, at)) ?? script.charAt(at);
}

function readBlanks(script: string, from: number): CodeToken {
  let end = from;
  let token = '';
  for (; isBlank(script[end] ?? ''); end += 1) if (script[end] === '\n') token = '\n';
  return { end, token };
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\n' || (character !== '' && character.trim() === '');
}

// A line end behind a comment is a token of its own.
function endOfComment(script: string, at: number, [start, end]: readonly [string, string]): number {
  const found = script.indexOf(end, at + start.length);
  if (found === -1) return script.length;
  return end === '\n' ? found : found + end.length;
}

/** What a template may take from the page's own address. */
const ownParts =
  /\$\{\s?(?:(?:window|document|self)\.)?location\.(origin|href|protocol|host|hostname|pathname|search|hash)\s?\}/g;

/** Longer strings are no addresses that anybody follows. */
const stringLength = 2048;

function readString(script: string, at: number): CodeToken {
  const end = endOfString(script, at);
  const text = end - at > stringLength ? '' : script.slice(at + 1, end - 1);
  const isPlain = script[at] !== '`' || !text.replace(ownParts, '').includes('${');
  if (!isPlain || text === '') return { end, token: unknownString };
  return { end, token: `"${text.replace(/\\(.)/gs, '$1').replace(ownParts, '$${location.$1}')}` };
}

// A quote inside of a regular expression opens a string that is none; only a template goes on over the end of its line.
function endOfString(script: string, from: number): number {
  const quote = script[from];
  for (let at = from + 1; at < script.length; at += 1) {
    const character = script[at];
    if (character === '\\') at += 1;
    else if (character === quote) return at + 1;
    else if (character === '\n' && quote !== '`') return at;
  }
  return script.length;
}
