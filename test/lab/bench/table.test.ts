import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { benches } from '../../../bench/run.ts';
import { pageOf } from '../../../bench/section.ts';

const names = Object.keys(benches);
const root = fileURLToPath(new URL('../../..', import.meta.url));

test.for(names)('%s can be loaded and gives a bench', async (name) => {
  expect(await benches[name]?.load()).toHaveProperty('bench', expect.any(Function));
});

test('every bench has a section, and there is no section of another', () => {
  const kept = readdirSync(`${root}/bench/results`).map((file) => file.replace(/\.md$/, ''));
  expect(kept.toSorted()).toEqual(names.toSorted());
});

test('docs/performance.md is what is kept, in the order of the table', () => {
  expect(readFileSync(`${root}/docs/performance.md`, 'utf8')).toBe(pageOf(names));
});

test('without any program on the PATH, each bench that needs one says in a sentence what it needs', () => {
  const needing = names.filter((name) => benches[name]?.needs?.some((need) => need !== 'linux'));
  const { status, stdout } = spawnSync(process.execPath, ['bench/run.ts', ...needing], {
    cwd: root,
    env: { PATH: '' },
    encoding: 'utf8',
  });
  expect(status).toBe(2);
  for (const name of needing) expect(stdout).toMatch(new RegExp(`^── ${name} needs .+ PATH.*\\.$`, 'm'));
});
