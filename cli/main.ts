import { ConfigError } from '../shared/config.ts';
import { exitConfig } from '../shared/process.ts';

const commands: { readonly [name: string]: () => Promise<{ run(): Promise<void> }> } = {
  serve: async () => ({ run: (await import('./serve.ts')).serve }),
  docs: async () => ({ run: (await import('./docs.ts')).writeDocs }),
};

const [name = ''] = process.argv.slice(2);
const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
if (!load) {
  console.error(`Usage: diag <${Object.keys(commands).join('|')}>`);
  process.exit(2);
}
try {
  await (await load()).run();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exit(exitConfig);
}
