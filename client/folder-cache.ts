import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnswerCache, KeptAnswer } from './answer-cache.ts';

/** Files that are looked at when the folder is tidied; a folder of more holds other things. */
const tidyLimit = 100_000;
const keptForMs = 30 * 86_400_000;

/** Keeps answers in a folder that many processes may share: a file each, written whole or not at all, for this user alone. Files that were not written for 30 days are deleted when it is opened. */
export function openFolderCache(folder: string): AnswerCache {
  const ready = prepare(folder);
  const pathOf = (key: string) => join(folder, `${createHash('sha256').update(key).digest('hex')}.json`);
  return {
    async get(key) {
      await ready;
      return readKept(await readFile(pathOf(key), 'utf8').catch(() => ''));
    },
    async set(key, answer) {
      await ready;
      const part = join(folder, `${randomUUID()}.part`);
      try {
        await writeFile(part, JSON.stringify(answer), { mode: 0o600 });
        await rename(part, pathOf(key));
      } catch {
        // A full disk costs the next process one request, and nobody an answer.
        await rm(part, { force: true });
      }
    },
  };
}

async function prepare(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names = (await readdir(folder)).filter((name) =>
    /^(?:[0-9a-f]{64}\.json|[0-9a-f-]{36}\.part)$/.test(name),
  );
  const oldest = Date.now() - keptForMs;
  for (const name of names.slice(0, tidyLimit)) {
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found && found.mtimeMs < oldest) await rm(join(folder, name), { force: true });
  }
}

function readKept(text: string): KeptAnswer | undefined {
  try {
    const kept = JSON.parse(text) as Partial<KeptAnswer> | null;
    const { etag, freshUntil, text: body } = kept ?? {};
    return typeof etag === 'string' && typeof freshUntil === 'number' && typeof body === 'string'
      ? { etag, freshUntil, text: body }
      : undefined;
  } catch {
    return undefined; // no such file, or one that another program wrote: as if it were not there
  }
}
