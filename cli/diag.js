#!/usr/bin/env node
// Plain JavaScript: it must run, and say what is wrong, on a Node that cannot read TypeScript.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  console.error(
    `diag needs Node 24; this is ${process.versions.node}. The project brings its own: run it by npm (npm start, npx --no -- diag …), after npm ci.`,
  );
  process.exit(78);
}
// Before the first .ts is loaded, and in a folder of our own: the default one belongs to whoever came first on the machine.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/diag', import.meta.url)));
await import('./main.ts');
