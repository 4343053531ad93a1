import { globSync, readFileSync } from 'node:fs';
import { cpuOf } from './measure.ts';

/** A regular expression as it stands in a file. */
export type Literal = { readonly file: string; readonly source: string; readonly flags: string };

/** A literal begins where a value may; a comment and a division do not. */
const literal =
  /(?<=(?:^|[=(,:[!&|?{};>]|\breturn)\s*)\/(?![*/])((?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)/gm;

/** Every literal of the service's own code; `worker/refresh` reads what a maintainer downloads. */
export function findLiterals(): Literal[] {
  return globSync('{worker,shared,api}/**/*.ts', { exclude: ['worker/refresh/**'] }).flatMap((file) => {
    const text = readFileSync(file, 'utf8').replaceAll(/^\s*(?:\/\/|\*|\/\*\*).*$/gm, '');
    return [...text.matchAll(literal)].flatMap(([, source = '', flags = '']) =>
      isRegex(source, flags) ? [{ file, source, flags }] : [],
    );
  });
}

function isRegex(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

const classes = [
  ' ',
  '\t',
  '\n',
  'a',
  'A',
  '0',
  '-',
  '.',
  '/',
  ';',
  ',',
  '=',
  '"',
  ':',
  '_',
  '\\',
  '\u00e9',
  '\0',
  '\u0100',
];

/** What may be repeated to make it slow: each character it names, one of each class, and its words. */
function attacksOn(source: string): {
  readonly starts: readonly string[];
  readonly pieces: readonly string[];
} {
  const words = source.replaceAll(/\\[a-zA-Z]|\(\?[:=!<]{1,2}/g, ' ').match(/[\w<>&-]{2,}/g) ?? [];
  const named = [...new Set(source.replaceAll(/\\[dwsbDWSB]/g, ''))];
  const pieces = [...new Set([...classes, ...named, ...words, 'a ', 'a.', ' a', 'a,', '0.', 'aa-'])];
  return { starts: [...new Set(['', ...words.slice(0, 6), ...named.slice(0, 4)])], pieces };
}

const sizes = { small: 2000, large: 16_000 } as const;
const times = sizes.large / sizes.small;

/** The text by which an expression is worse than linear; undefined where none of those that are tried is. */
export function findSlowText({ source, flags }: Literal): string | undefined {
  const expression = new RegExp(source, flags.replaceAll(/[gy]/g, ''));
  const { starts, pieces } = attacksOn(source);
  const texts = starts.flatMap((start) => pieces.map((piece) => ({ start, piece })));
  const slow = texts.find(({ start, piece }) =>
    ['', '\u0001'].some((end) =>
      isSlow(expression, (size) => start + piece.repeat(size / piece.length) + end),
    ),
  );
  return slow && `${slow.start}${slow.piece}…`;
}

/** Whether a text costs more than three times as much in one piece as in eight; where it is quadratic that is eight times as much. */
function isSlow(expression: RegExp, make: (size: number) => string): boolean {
  const [small, large] = [make(sizes.small), make(sizes.large)];
  // A quadratic search of 16,000 characters is a hundred milliseconds, a linear one less than one.
  for (let again = 0; again < 3; again += 1) {
    const ms = cpuOf(() => expression.test(large));
    if (ms < 4) return false;
    const inPieces = cpuOf(() => {
      for (let count = 0; count < times; count += 1) expression.test(small);
    });
    if (ms < 3 * inPieces) return false;
  }
  return true;
}

/** Characters of which pairs are made: one of each class, and those that an expression names. */
const mostCharacters = 35;
const pairSize = 8000;
/** A linear search of so many characters takes a hundredth of a millisecond or two. */
const suspectMs = 1;

/** A literal, and two characters that are repeated by turns: what escapes and what ends a text, what opens and what closes. */
export type Pair = Literal & { readonly pair: string };

/** Every pair of every literal. */
export function pairsOf(literals: readonly Literal[]): readonly Pair[] {
  return literals.flatMap((each) => {
    const named = each.source.replaceAll(/\\[dwsbDWSB]/g, '');
    const characters = [...new Set([...new Set(named), ...classes])].slice(0, mostCharacters);
    return characters.flatMap((first) =>
      characters.map((second) => ({ ...each, pair: `${first}${second}` })),
    );
  });
}

const expressions = new Map<string, RegExp>();

/** True for a pair by which its expression is worse than linear. */
export function isSlowPair({ source, flags, pair }: Pair): boolean {
  const key = `${flags}/${source}`;
  const expression = expressions.get(key) ?? new RegExp(source, flags.replaceAll(/[gy]/g, ''));
  expressions.set(key, expression);
  const make = (size: number) => pair.repeat(size / pair.length);
  return ['', '\u0001'].some((end) => {
    const text = make(pairSize) + end;
    const start = performance.now();
    expression.test(text);
    return performance.now() - start > suspectMs && isSlow(expression, (size) => make(size) + end);
  });
}

/** So many of them, always the same by one seed (xorshift, Marsaglia 2003). */
export function sampleOf<T>(all: readonly T[], count: number, seed: number): readonly T[] {
  let state = seed || 1;
  return Array.from({ length: Math.min(count, all.length) }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return all[Math.abs(state) % all.length] as T;
  });
}
