import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const planted = mkdtempSync(join(tmpdir(), 'diag-rows-'));
afterAll(() => rmSync(planted, { recursive: true }));

/** The files that the linter refuses by this rule. */
function refusedOf(files: Readonly<Record<string, string>>): readonly string[] {
  cpSync('.oxlintrc.json', join(planted, '.oxlintrc.json'));
  cpSync('lint', join(planted, 'lint'), { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(planted, file, '..'), { recursive: true });
    writeFileSync(join(planted, file), text);
  }
  const args = ['--format=unix', ...Object.keys(files)];
  try {
    execFileSync(resolve('node_modules/.bin/oxlint'), args, { cwd: planted, encoding: 'utf8' });
    return [];
  } catch (error) {
    const { stdout } = error as { readonly stdout: string };
    return Object.keys(files).filter((file) =>
      stdout.split('\n').some((line) => line.includes(file) && line.includes('prepareReturning')),
    );
  }
}

test('rows of a statement that writes are read by the one helper, in each folder', () => {
  const wrong = [
    "export const a = (d: Database) => d.prepare('UPDATE x SET y = 1 RETURNING *');\n",
    'export const b = (d: Database) => d.prepare(`DELETE FROM ${d.name}\n returning z`);\n',
  ];
  const right = [
    "export const c = (d: Database) => d.prepare('UPDATE x SET y = 1');\n",
    "export const e = (d: Database) => prepareReturning(d, 'UPDATE x SET y = 1 RETURNING *');\n",
  ];
  const folders = ['api', 'shared/stores/batches', 'shared/backends', 'worker/watches', 'cli'];
  const name = (folder: string, kind: string, at: number) => `${folder}/${kind}-${at}.ts`;
  const files = folders.flatMap((folder) => [
    ...wrong.map((text, at) => [name(folder, 'wrong', at), text] as const),
    ...right.map((text, at) => [name(folder, 'right', at), text] as const),
  ]);
  expect(refusedOf(Object.fromEntries(files))).toEqual(
    files.map(([file]) => file).filter((file) => file.includes('wrong')),
  );
});
