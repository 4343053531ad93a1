// npm pack runs this first (prepack): what an installed package needs, as JavaScript in dist. A clone needs none of it.
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const folders = '{shared,api,worker}';

rmSync('dist', { recursive: true, force: true });
for (const project of ['tsconfig.build.json', 'client/tsconfig.json'])
  execFileSync('node_modules/.bin/tsc', ['-p', project], { stdio: 'inherit' });

// Files that are read beside the code.
for (const path of globSync(`${folders}/**/*.{lua,html,js,css,svg}`)) {
  mkdirSync(dirname(join('dist', path)), { recursive: true });
  cpSync(path, join('dist', path));
}

// The compiler rewrites imports; an address of a module that a child process runs is text to it.
for (const path of globSync('dist/**/*.js')) {
  const text = readFileSync(path, 'utf8');
  const rewritten = text.replace(
    /new URL\('([^']+)\.ts', import\.meta\.url\)/g,
    "new URL('$1.js', import.meta.url)",
  );
  if (rewritten !== text) writeFileSync(path, rewritten);
}

// The package.json above the code is where its version is read, and where Node finds what `#shared/…` stands for.
const { name, version, type } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, unknown>;
const imports = { '#shared/*': './shared/*.js' };
writeFileSync('dist/package.json', `${JSON.stringify({ name, version, type, imports })}\n`);
