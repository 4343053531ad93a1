import type { AnswerCache, KeptAnswer } from './answer-cache.ts';

/** Files that are looked at when the folder is tidied; a folder of more holds other things. */
const tidyLimit = 100_000;
const keptForMs = 30 * 86_400_000;

/** Keeps answers in a folder that many processes may share: a file each, written whole or not at all, for this user alone. Files that were not written for 30 days are deleted when it is opened. */
export function openFolderCache(folder: string): AnswerCache {
  const { crypto, files, path } = openNode();
  const ready = prepare(folder, files, path);
  const pathOf = (key: string) =>
    path.join(folder, `${crypto.createHash('sha256').update(key).digest('hex')}.json`);
  return {
    async get(key) {
      await ready;
      return readKept(await files.readFile(pathOf(key), 'utf8').catch(() => ''));
    },
    async set(key, answer) {
      await ready;
      const part = path.join(folder, `${crypto.randomUUID()}.part`);
      try {
        await files.writeFile(part, JSON.stringify(answer), { mode: 0o600 });
        await files.rename(part, pathOf(key));
      } catch {
        // A full disk costs the next process one request, and nobody an answer.
        await files.rm(part, { force: true });
      }
    },
  };
}

/**
 * What of Node is needed. It is asked of the process and not imported: so the client is one file for a bundler, and a browser never meets a
 * name that it cannot load.
 */
function openNode() {
  const { process: node } = globalThis;
  if (!node?.getBuiltinModule)
    throw new Error('A cache in a folder needs Node 20.16 or newer. Use "memory", or a cache of your own.');
  return {
    crypto: node.getBuiltinModule('node:crypto'),
    files: node.getBuiltinModule('node:fs/promises'),
    path: node.getBuiltinModule('node:path'),
  };
}

type Node = ReturnType<typeof openNode>;

async function prepare(folder: string, files: Node['files'], path: Node['path']): Promise<void> {
  await files.mkdir(folder, { recursive: true, mode: 0o700 });
  const names = (await files.readdir(folder)).filter((name) =>
    /^(?:[0-9a-f]{64}\.json|[0-9a-f-]{36}\.part)$/.test(name),
  );
  const oldest = Date.now() - keptForMs;
  for (const name of names.slice(0, tidyLimit)) {
    const found = await files.stat(path.join(folder, name)).catch(() => undefined);
    if (found && found.mtimeMs < oldest) await files.rm(path.join(folder, name), { force: true });
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
