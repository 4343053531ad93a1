/** A place in a source text where one token can be replaced by another that the compiler takes as well. */
export type Site = {
  readonly at: number;
  readonly line: number;
  readonly from: string;
  readonly to: string;
};

/** Token → what takes its place. Spaces keep operators apart from generics, arrows and types. */
const swaps: readonly (readonly [from: RegExp, to: string])[] = [
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ <= /g, ' < '],
  [/ >= /g, ' > '],
  [/ < /g, ' <= '],
  [/ > /g, ' >= '],
  [/ \+ 1\b/g, ' - 1'],
  [/ - 1\b/g, ' + 1'],
  [/\.some\(/g, '.every('],
  [/\.every\(/g, '.some('],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
  [/(?<=[(: ])!(?=[a-zA-Z(])/g, ''],
  [/'holds'/g, "'not-applicable'"],
  [/'not-applicable'/g, "'holds'"],
  [/\bMath\.min\(/g, 'Math.max('],
  [/\bMath\.max\(/g, 'Math.min('],
];

/** All such places outside comments, strings that are texts, imports and types, in the order of the text. */
export function findSites(text: string): Site[] {
  const code = blankOut(text);
  const sites = swaps.flatMap(([from, to]) =>
    [...code.matchAll(from)].map(({ 0: found, index }) => ({
      at: index,
      line: text.slice(0, index).split('\n').length,
      from: found,
      to,
    })),
  );
  return sites.sort((a, b) => a.at - b.at);
}

// What is no code that runs becomes spaces of the same length.
function blankOut(text: string): string {
  const spaces = (found: string) => found.replace(/[^\n]/g, ' ');
  return text
    .replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, spaces)
    .replace(/^import [\s\S]*?;$/gm, spaces)
    .replace(/^(?:export )?type [\s\S]*?;$/gm, spaces)
    .replace(/^ *readonly .*$/gm, spaces)
    .replace(/`[^`]*`/g, spaces)
    .replace(/'[^'\n]* [^'\n]*'/g, spaces);
}
