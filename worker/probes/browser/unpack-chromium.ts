import { createReadStream, createWriteStream, type Stats } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createBrotliDecompress } from 'node:zlib';

/**
 * Gives the path of the bundled Chromium, unpacked on first use into `<folder>/chromium-<version>-<arch>/`.
 * The package's own unpacking is not used: it reuses whatever lies at a fixed path in /tmp, of any version and from anybody.
 * @param folder made if it is not there; must be of this process's user
 * @returns undefined where the package is absent or has no binary for this machine
 */
export async function unpackChromium(folder: string): Promise<string | undefined> {
  const bundle = await findBundle();
  if (!bundle) return undefined;
  const home = join(folder, `chromium-${bundle.version}-${process.arch}`);
  const executable = join(home, 'chromium');
  if (await isOurs(executable)) return executable;
  const made = await mkdir(folder, { recursive: true, mode: 0o755 });
  // Whatever the umask is: as root the browser runs as another user, who must be able to read it.
  if (made !== undefined) await chmod(folder, 0o755);
  // In a world-writable place the name may have been taken by somebody who waits for us to run what he puts there.
  if (!isPrivate(await lstat(folder))) throw new Error(`${folder} belongs to, or can be written by, others`);
  const unfinished = await mkdtemp(join(folder, 'unpacking-'));
  try {
    await decompress(bundle.archive, join(unfinished, 'chromium'));
    await chmod(unfinished, 0o755);
    // Atomic: if another process unpacks at the same time, one whole folder gets the name and the other is deleted.
    await rename(unfinished, home).catch(async (error: unknown) => {
      if (!(await isOurs(executable))) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return executable;
}

async function findBundle(): Promise<{ version: string; archive: string } | undefined> {
  // The only build that npm carries; elsewhere the package would install and not start.
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  let root: URL;
  try {
    root = new URL('../', import.meta.resolve('@sparticuz/chromium'));
  } catch {
    return undefined; // optional: an installed browser does as well
  }
  const manifest = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as { version: string };
  return { version: manifest.version, archive: fileURLToPath(new URL('bin/chromium.br', root)) };
}

async function decompress(archive: string, executable: string): Promise<void> {
  await pipeline(
    createReadStream(archive),
    createBrotliDecompress({ chunkSize: 1_048_576 }),
    createWriteStream(executable, { mode: 0o755 }),
  );
  // On the disk before it gets its name: after a power cut the name must not lead to half a browser.
  const file = await open(executable, 'r+');
  await file.sync();
  await file.close();
  await chmod(executable, 0o755); // whatever the umask was
}

/** A whole executable that nobody else could have put there. */
async function isOurs(executable: string): Promise<boolean> {
  const found = await lstat(executable).catch(() => undefined);
  return found?.isFile() === true && isPrivate(found) && isPrivate(await lstat(dirname(dirname(executable))));
}

function isPrivate({ uid, mode }: Stats): boolean {
  return uid === process.getuid?.() && (mode & 0o022) === 0;
}
