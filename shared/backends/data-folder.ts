import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../telemetry/logger.ts';

const databaseFile = /\.sqlite(?:-\w+)?$/;
const ownNames = /^(?:browser|unfinished|before-restore-.+)$/;
const forOthers = 0o077;

/**
 * Takes every right to DATA_DIR and its databases away from other users: the folder becomes 0700, the files 0600. What an
 * earlier version made was readable to all. Logs one line if it changed anything, and warns of what it could not change.
 * A folder that holds files of others, such as /tmp, keeps its mode.
 * @param path of the folder; it need not exist, and ":memory:" is none
 */
export function makeDataFolderPrivate(path: string, log: Logger): void {
  const folder = statSync(path, { throwIfNoEntry: false });
  if (path === ':memory:' || !folder?.isDirectory()) return;
  try {
    const names = readdirSync(path);
    const isOwn = names.every((name) => databaseFile.test(name) || ownNames.test(name));
    const files = names.filter((name) => databaseFile.test(name) && restrict(join(path, name), 0o600));
    const isFolderChanged = isOwn && restrict(path, 0o700);
    if (isFolderChanged || files.length > 0)
      log.info({ folder: isFolderChanged, files }, 'DATA_DIR was readable to other users, and no longer is');
    if (!isOwn && (folder.mode & forOthers) !== 0)
      log.warn({}, 'DATA_DIR also holds files of others: its mode is left as it is');
  } catch (error) {
    log.warn({ err: error }, 'DATA_DIR may be readable to other users');
  }
}

/** True if the mode had to be changed. */
function restrict(path: string, mode: number): boolean {
  const found = statSync(path);
  if ((found.mode & forOthers) === 0 || (mode === 0o600 && !found.isFile())) return false;
  chmodSync(path, mode);
  return true;
}
