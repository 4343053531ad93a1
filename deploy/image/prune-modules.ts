// node prune-modules.ts <node_modules>: deletes what no process reads, by kind. For an image; npm ci would put it back.
import { globSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder = ''] = process.argv.slice(2);
if (folder === '') throw new Error('Name the folder of modules.');

/** Licences must stay with their packages. */
const isLicence = (path: string) => /(?:^|\/)(?:licen[cs]e|notice|copying)[^/]*$/i.test(path);

/** Node takes no types from TypeScript below node_modules, and maps are for debuggers. */
const kinds = ['**/*.{map,ts,mts,cts,flow,tsbuildinfo}', '**/*.{md,markdown}'];
/** Directly in a package; deeper, such a name can be code. */
const sideFolders = '{test,tests,__tests__,doc,docs,example,examples,man,.github}';
const packages = '{[!@.]*,@*/*}';
const packagesWithin = `{,**/node_modules/}${packages}`;

/** What only its package's own commands, or browsers, load. */
const unread = [
  '@modelcontextprotocol/*/dist/**/*.cjs',
  '@paulirish/trace_engine/locales',
  'bullmq/dist/esm',
  'lighthouse/cli',
  'nodemailer/dist/cjs',
  'puppeteer-core/lib/es5-iife',
  'third-party-web/dist/domain-map.csv',
];
/** Lighthouse reads all its languages at once, of which reports use one; without a text it takes the one in its code. */
const otherLanguages = 'lighthouse/shared/localization/locales/!(en-US).json';

const found = (pattern: string) => globSync(pattern, { cwd: folder }).filter((path) => !isLicence(path));

for (const path of [...kinds, `${packagesWithin}/${sideFolders}`, ...unread].flatMap(found))
  rmSync(join(folder, path), { recursive: true, force: true });
for (const path of found(otherLanguages)) {
  // Not through a hard link, which would empty the file of another copy as well.
  rmSync(join(folder, path));
  writeFileSync(join(folder, path), '{}');
}
