#!/usr/bin/env node
// Plain JavaScript: it must run, and say what is wrong, on a Node that cannot read TypeScript.
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

// A clone runs its sources. An installed package has what was built of them: Node strips no types below node_modules.
const isClone = existsSync(new URL('./main.ts', import.meta.url));
const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  const clone =
    ', or on Linux run npm ci here, then npm start or npx --no -- diag, which use the Node that npm ci brings';
  console.error(
    `diag needs Node 24 or newer, and this is ${process.versions.node}: install it from https://nodejs.org${isClone ? clone : ''}.`,
  );
  process.exit(78);
}
// V8 reads this flag before any code runs, and lets the young generation of a busy process grow by hundreds of megabytes without it. So a
// service that was started without it takes its own place with it: the process id, the signals and the output stay the same.
const young = '--max-semi-space-size';
const isService = ['serve', 'api', 'worker'].includes(process.argv[2] ?? '');
const given = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ').replaceAll('_', '-');
if (isService && !given.includes(young) && process.platform !== 'win32' && process.execve)
  process.execve(process.execPath, [
    process.execPath,
    `${young}=8`,
    ...process.execArgv,
    ...process.argv.slice(1),
  ]);
// Before the first .ts is loaded, and in a folder of our own: the default one belongs to the first user on the machine.
nodeModule.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/diag', import.meta.url)));
// An import of node:http reads all that it exports, and these three load the whole of fetch: 20 ms of CPU at each start, and 2 MB that an
// idle process keeps. Nobody here asks for them.
const http = process.getBuiltinModule('node:http');
for (const name of ['WebSocket', 'CloseEvent', 'MessageEvent']) Reflect.deleteProperty(http, name);
await import(isClone ? './main.ts' : '../dist/cli/main.js');
