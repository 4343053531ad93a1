const commands: { readonly [name: string]: () => Promise<() => Promise<void>> } = {
  serve: async () => (await import('./serve.ts')).serve,
  api: async () => (await import('../api/main.ts')).main,
  worker: async () => (await import('../worker/main.ts')).main,
  docs: async () => (await import('./docs.ts')).writeDocs,
};

const [name = ''] = process.argv.slice(2);
const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
if (!load) {
  console.error(`Usage: diag <${Object.keys(commands).join('|')}>`);
  process.exit(2);
}
const run = await load();
await run();
