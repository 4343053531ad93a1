import { readdirSync, statSync } from 'node:fs';
import { chown, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Every profile's folder begins so. */
export const profilePrefix = 'diagnostic-browser-';

/** Far longer than any run: a folder as old was left by a worker that was killed. */
const orphanAfterMs = 15 * 60_000;

/** Makes the folder of a run's browser. As root the temporary folder may be root's own; /var/tmp can be reached by everybody. */
export async function makeProfile(uid: number | undefined): Promise<string> {
  const profile = await mkdtemp(join(uid === undefined ? tmpdir() : '/var/tmp', profilePrefix));
  if (uid !== undefined) await chown(profile, uid, uid);
  return profile;
}

/** Bytes of the files in the folder, by their sizes. 0 for a folder that is gone. */
export function measureDisk(profile: string): number {
  try {
    const names = readdirSync(profile, { recursive: true });
    return names.reduce<number>((sum, name) => sum + sizeOf(join(profile, String(name))), 0);
  } catch {
    return 0; // it was removed while we looked
  }
}

function sizeOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? found.size : 0;
}

/** Removes it. A dying Chromium may still write while we delete. */
export async function removeProfile(profile: string): Promise<void> {
  await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/** Removes the folders that killed workers have left. Gives their number. */
export async function sweepProfiles(nowMs: number, folders = [tmpdir(), '/var/tmp']): Promise<number> {
  const found = await Promise.all([...new Set(folders)].map((folder) => findOrphans(folder, nowMs)));
  const orphans = found.flat();
  await Promise.all(orphans.map(removeProfile));
  return orphans.length;
}

async function findOrphans(folder: string, nowMs: number): Promise<string[]> {
  const names = await readdir(folder).catch(() => []); // not every machine has /var/tmp
  const paths = names.filter((name) => name.startsWith(profilePrefix)).map((name) => join(folder, name));
  const ages = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ mtimeMs }) => nowMs - mtimeMs,
        () => 0, // gone meanwhile: another worker sweeps too
      ),
    ),
  );
  return paths.filter((_, index) => (ages[index] ?? 0) > orphanAfterMs);
}
