import { withTable } from './marked-table.ts';
import { internetNlRows, type PeerRow, zonemasterRows } from './peer-rows.ts';

/** Where what peers find stands beside what Diagnostic Tools finds, in the project. */
export const comparedPath = 'docs/compared.md';

const words = ['match', 'better', 'part', 'left out'] as const satisfies readonly PeerRow['word'][];

/** The page on peers with its table of dns-check made anew: a line for each area of a peer, and one for each reason. */
export function makeComparedPage(): string {
  const areas = Map.groupBy(zonemasterRows, ({ name }) => name.replace(/\d+$/, ''));
  const areaLines = [...areas].map(([area, rows]) => [
    area,
    ...words.map((word) => namesOf(rows.filter((row) => row.word === word)).replaceAll(area, '')),
    codesOf(rows),
  ]);
  const subtests = [...Map.groupBy(internetNlRows, ({ word }) => word)].map(([word, rows]) => [
    word,
    namesOf(rows, '; '),
    codesOf(rows),
  ]);
  const reasons = Map.groupBy(
    [...zonemasterRows, ...internetNlRows].filter(({ note }) => note !== ''),
    ({ word, note }) => `${word} | ${note}`,
  );
  const reasonLines = [...reasons].map(([reason, rows]) => [namesOf(rows, '; '), reason]);
  const tables = [
    tableOf(['cases of Zonemaster', ...words, 'findings'], areaLines),
    tableOf(['Internet.nl', 'subtests', 'findings'], subtests),
    tableOf(['case or subtest', 'here', 'what differs'], reasonLines),
  ];
  return withTable(comparedPath, 'dns', tables.join('\n\n'));
}

function namesOf(rows: readonly PeerRow[], between = ', '): string {
  return rows.map(({ name }) => name).join(between);
}

function codesOf(rows: readonly PeerRow[]): string {
  return [...new Set(rows.flatMap(({ codes }) => codes))].map((code) => `\`${code}\``).join(', ');
}

function tableOf(head: readonly string[], lines: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
