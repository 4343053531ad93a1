// npm run refresh <table> < download: writes a table of data from the file that its source publishes.
import { writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { writeCtLogs } from './ct-logs.ts';
import { writeRootStores } from './root-stores.ts';

const tables: { readonly [name: string]: readonly [file: string, write: (download: string) => string] } = {
  'ct-logs': ['../checks/ssl-check/grammar/listed-logs.ts', writeCtLogs],
  'root-stores': [
    '../certificates/trust/listed-roots.ts',
    (csv) => writeRootStores(csv, new Date().toISOString().slice(0, 10)),
  ],
};

const [name = ''] = process.argv.slice(2);
const table = tables[name];
if (!table) {
  process.stderr.write(
    `Name one of: ${Object.keys(tables).join(', ')}; its download comes by standard input.\n`,
  );
  process.exit(2);
}
const [file, write] = table;
writeFileSync(fileURLToPath(new URL(file, import.meta.url)), write(await text(process.stdin)));
process.stderr.write('Written. Run npx oxfmt, then npm run check, and read the difference.\n');
