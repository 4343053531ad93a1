// npm run docs: writes what is generated, and the lock of the rules. It fails for a check whose rules changed without a new version.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { makeDocs } from './docs.ts';
import { goldenFolder } from './golden-reports.ts';
import {
  findUnraised,
  makeRulesLock,
  makeWeighedSince,
  type RulesLock,
  rulesLockPath,
  weighedSincePath,
} from './rules-lock.ts';

const locked = existsSync(rulesLockPath)
  ? (JSON.parse(readFileSync(rulesLockPath, 'utf8')) as RulesLock)
  : {};
const lock = await makeRulesLock(locked);
const unraised = findUnraised(locked, lock);
if (unraised.length > 0) {
  console.error(
    `The rules of ${unraised.join(', ')} have changed: raise rulesVersion in shared/catalogue/<check>/spec.ts, and add a line to CHANGELOG.md.`,
  );
  process.exitCode = 2;
} else {
  mkdirSync(goldenFolder, { recursive: true });
  for (const [path, text] of await makeDocs()) writeFileSync(path, text);
  writeFileSync(weighedSincePath, makeWeighedSince(lock));
  writeFileSync(rulesLockPath, `${JSON.stringify(lock, null, 1)}\n`);
}
