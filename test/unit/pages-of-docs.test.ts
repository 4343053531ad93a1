import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { settingNames } from '#shared/settings/config';

/** The pages of this project: packages that are installed in a folder of it bring pages of their own. */
const pages = globSync(['*.md', 'docs/**/*.md', 'deploy/**/*.md', 'client/*.md'], {
  exclude: ['**/node_modules/**'],
});
const proseOf = (path: string) => readFileSync(path, 'utf8').replaceAll(/```[\s\S]*?```/g, '');

/** The anchor that a heading gets on the pages of repositories. */
function anchorOf(heading: string): string {
  const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  return words.replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-');
}
const anchors = new Map(
  pages.map((path) => [
    path,
    new Set([...proseOf(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading.trim()))),
  ]),
);

test('every link between the pages leads to a file that is there, and to a heading of it', () => {
  const broken = pages.flatMap((path) =>
    [...proseOf(path).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
      if (/^(?:https?|mailto):/.test(link)) return [];
      const [file = '', anchor] = link.split('#');
      const to = file === '' ? path : normalize(join(dirname(path), file));
      const isThere = existsSync(to) && (anchor === undefined || (anchors.get(to)?.has(anchor) ?? true));
      return isThere ? [] : [`${path}: ${link}`];
    }),
  );
  expect(broken).toEqual([]);
});

test('the README is short, and names settings that are there', () => {
  const text = readFileSync('README.md', 'utf8');
  expect(text.trim().split('\n').length).toBeLessThanOrEqual(150);
  const [, table = ''] = /\| setting \|([\s\S]*?)\n\n/.exec(text) ?? [];
  const named = [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(
    ([, cell = '']) => cell.match(/[A-Z_]{4,}/g) ?? [],
  );
  expect(named.length).toBeGreaterThanOrEqual(8);
  expect(named.filter((name) => !settingNames.some((known) => known === name))).toEqual([]);
});

test('each line of the changes is one line, and short', () => {
  const lines = readFileSync('CHANGELOG.md', 'utf8').split('\n');
  expect(lines.filter((line) => line.length > 160 && !line.startsWith('|'))).toEqual([]);
});
