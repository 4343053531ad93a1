import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(`${root}/docs/scheduler.md`, 'utf8');

test('the page on the scheduler says of each script what it guarantees', () => {
  const scripts = globSync('shared/queue/**/*.lua', { cwd: root }).map((file) => file.split('/').at(-1));
  const rows = [...page.matchAll(/^\| (`[^|]*\.lua`[^|]*)\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+\.lua)`/g)].map(([, name]) => name),
  );
  expect(rows.toSorted()).toEqual(scripts.toSorted());
});

test.for(['scheduler', 'adding-a-check', 'compared'])('the files that docs/%s.md names are there', (name) => {
  const text = readFileSync(`${root}/docs/${name}.md`, 'utf8');
  const named = [...text.matchAll(/`(?:node )?((?:api|bench|shared|test|worker)\/[^`<* ]+\.ts)[^`]*`/g)].map(
    ([, file = '']) => file,
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((file) => !existsSync(`${root}/${file}`))).toEqual([]);
});
