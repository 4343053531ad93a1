import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** A version that an upgrade is tried from. `sharesQueue`: its processes and ours work on the same jobs. */
export type PreviousVersion = {
  readonly name: string;
  readonly commit: string;
  readonly sharesQueue: boolean;
};

export const previousVersions: readonly PreviousVersion[] = [
  { name: '0.2.0', commit: '6725e1e205718dda4497a157d411ba0cd9773ef3', sharesQueue: false },
  {
    name: '0.3.0, where all work of a caller is alike',
    commit: 'b8f051cbbd4162709135b624232193d707686405',
    sharesQueue: true,
  },
];

/** Whether this checkout has these versions; a shallow clone has not. */
export const hasPrevious = previousVersions.every(
  ({ commit }) => spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`]).status === 0,
);

/** The files of a previous version in a folder of their own, with this version's packages. */
export function unpackPrevious({ commit }: PreviousVersion): { readonly program: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'diag-previous-'));
  const archive = execFileSync('git', ['archive', commit], { maxBuffer: 256 * 1024 * 1024 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  linkPackages(join(folder, 'node_modules'));
  return { program: join(folder, 'cli/diag.js'), remove: () => rmSync(folder, { recursive: true }) };
}

/** Packages that it loads and that this version has no more; no test asks for what is in them. */
const gone = ['swagger-ui-dist'];

function linkPackages(folder: string): void {
  mkdirSync(folder);
  for (const name of readdirSync('node_modules'))
    symlinkSync(resolve('node_modules', name), join(folder, name));
  for (const name of gone) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'package.json'), JSON.stringify({ name, version: '0.0.0' }));
  }
}
