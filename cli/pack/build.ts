import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const folders = '{shared,api,worker}';

/** Compiles the tool into a folder, with the files that are read beside its code. Node strips no types below node_modules, so a package has JavaScript. */
export function buildTool(folder: string): void {
  compile('tsconfig.build.json', folder);
  for (const path of globSync(`${folders}/**/*.{lua,html,js,css,svg,json}`)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(path, join(folder, path));
  }
  // The compiler rewrites imports; an address of a module that a child process runs is text to it.
  for (const path of globSync(`${folder}/**/*.js`)) {
    const text = readFileSync(path, 'utf8');
    const rewritten = text.replace(
      /new URL\('([^']+)\.ts', import\.meta\.url\)/g,
      "new URL('$1.js', import.meta.url)",
    );
    if (rewritten !== text) writeFileSync(path, rewritten);
  }
}

/** Runs the compiler with the settings of a project. */
export function compile(project: string, folder: string): void {
  execFileSync('node_modules/.bin/tsc', ['-p', project, '--outDir', folder], { stdio: 'inherit' });
}
