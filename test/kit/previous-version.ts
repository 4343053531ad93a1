import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The version that an upgrade is tried from. */
const commit = '6725e1e205718dda4497a157d411ba0cd9773ef3';

/** Whether this checkout has that version; a shallow clone has not. */
export const hasPrevious = spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`]).status === 0;

/** The files of the previous version in a folder of their own, with this version's packages. */
export function unpackPrevious(): { readonly program: string; remove(): void } {
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
