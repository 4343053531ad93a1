/** The processes of the service. They run for months, and load nothing of the command line. */
const processes: { readonly [name: string]: () => Promise<void> } = {
  serve: async () => (await import('./serve.ts')).serve(),
  api: async () => (await import('../api/main.ts')).main(),
  worker: async () => (await import('../worker/start/main.ts')).main(),
};

const [name = '', ...more] = process.argv.slice(2);
const start = more.length === 0 && Object.hasOwn(processes, name) ? processes[name] : undefined;
const run = start ?? (() => import('./program.ts'));
await run();
