import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { makeOpenapi } from '../api/openapi/document.ts';
import { makeChecksPage } from './checks-page.ts';
import { findUnraised, makeRulesLock, type RulesLock } from './rules-lock.ts';
import { makeEnvExample, makeReadme } from './settings-docs.ts';
import { UsageError } from './usage-error.ts';

/** The generated documents: path in the project → its text. A test compares them with the files. */
export function makeDocs(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/openapi.json', `${JSON.stringify(makeOpenapi(), null, 2)}\n`],
    ['docs/checks.md', makeChecksPage()],
    ['.env.example', makeEnvExample()],
    ['README.md', makeReadme()],
  ]);
}

/** Where rules.lock.json is. */
export const rulesLockPath = fileURLToPath(new URL('../rules.lock.json', import.meta.url));

/** `npm run docs`: writes them, and the lock of the rules. Throws UsageError for a check whose rules changed without a new version. */
export async function writeDocs(): Promise<void> {
  for (const [path, text] of makeDocs())
    writeFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), text);
  const lock = makeRulesLock();
  const locked = existsSync(rulesLockPath)
    ? (JSON.parse(readFileSync(rulesLockPath, 'utf8')) as RulesLock)
    : {};
  const unraised = findUnraised(locked, lock);
  if (unraised.length > 0)
    throw new UsageError(
      `The rules of ${unraised.join(', ')} have changed: raise rulesVersion in shared/catalogue/<check>/spec.ts, and tell of it in CHANGELOG.md.`,
    );
  writeFileSync(rulesLockPath, `${JSON.stringify(lock, null, 1)}\n`);
}
