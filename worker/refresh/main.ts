// npm run refresh <table> < download: writes a table of data from the file that its source publishes.
import { writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { writeCtLogs } from './ct-logs.ts';
import { writeRdapRegistries } from './rdap-registries.ts';
import { writeRootStores } from './root-stores.ts';

/** A file of ours and its new text. */
type Written = readonly [file: string, text: string];

const tables: { readonly [name: string]: (download: string) => readonly Written[] } = {
  'ct-logs': (json) => [['../checks/ssl-check/grammar/listed-logs.ts', writeCtLogs(json)]],
  'root-stores': (csv) => [
    ['../certificates/trust/listed-roots.ts', writeRootStores(csv, new Date().toISOString().slice(0, 10))],
  ],
  'rdap-registries': (json) => {
    const { list, day } = writeRdapRegistries(json);
    return [
      ['../probes/rdap/registries.json', list],
      ['../probes/rdap/listed-on.ts', day],
    ];
  },
};

const [name = ''] = process.argv.slice(2);
const write = tables[name];
if (!write) {
  process.stderr.write(
    `Name one of: ${Object.keys(tables).join(', ')}; its download comes by standard input.\n`,
  );
  process.exit(2);
}
for (const [file, content] of write(await text(process.stdin)))
  writeFileSync(fileURLToPath(new URL(file, import.meta.url)), content);
process.stderr.write('Written. Run npx oxfmt, then npm run check, and read the difference.\n');
