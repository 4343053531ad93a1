import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { makeOpenapi } from '../api/openapi.ts';
import { makeChecksPage } from './checks-page.ts';

/** The generated documents: path in the project → its text. A test compares them with the files. */
export function makeDocs(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/openapi.json', `${JSON.stringify(makeOpenapi(), null, 2)}\n`],
    ['docs/checks.md', makeChecksPage()],
  ]);
}

/** `npm run docs`: writes them. */
export async function writeDocs(): Promise<void> {
  for (const [path, text] of makeDocs())
    writeFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), text);
}
