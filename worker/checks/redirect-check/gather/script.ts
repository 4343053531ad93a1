/**
 * True for a script that sets the visitor's address as it loads: by an assignment, or a call of replace or assign,
 * that stands outside of every function and block. A guess: the script is neither run nor parsed in full.
 */
export function setsAddress(script: string): boolean {
  return addressSetter.test(reduceToTopLevel(script));
}

// Matched against reduced text, where blanks are single: no part of it can match the same run in two ways.
const addressSetter = new RegExp(
  [
    String.raw`(?:^|[;\n(]) ?`,
    String.raw`(?:(?:window|document|self|top|parent)\s?\.\s?)?location\s?`,
    String.raw`(?:(?:\.\s?href\s?)?=\s?[^=>\s]|\.\s?(?:replace|assign)\s?\()`,
  ].join(''),
);

/** The code outside of braces: no comments, strings emptied, each block one ";", each run of blanks one blank or one line end. */
function reduceToTopLevel(script: string): string {
  const kept: string[] = [];
  let depth = 0;
  for (let at = 0; at < script.length; ) {
    const { end, text } = readPiece(script, at);
    at = end;
    if (text === '{') depth += 1;
    else if (text === '}') depth = Math.max(0, depth - 1);
    const piece = text === '}' ? ';' : text;
    const isOutside = depth === 0;
    if (isOutside && !(isBlank(piece) && isBlank(kept.at(-1) ?? ' '))) kept.push(piece);
  }
  return kept.join('');
}

type Piece = { readonly end: number; readonly text: string };

function readPiece(script: string, at: number): Piece {
  const character = script[at] ?? '';
  if (script.startsWith('//', at) || script.startsWith('<!--', at))
    return { end: endOf(script, '\n', at), text: ' ' };
  if (script.startsWith('/*', at)) return { end: endOf(script, '*/', at + 2) + 2, text: ' ' };
  if ('"\'`'.includes(character)) return { end: endOfString(script, at), text: '""' };
  if (isBlank(character)) return readBlanks(script, at);
  return { end: at + 1, text: character };
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
