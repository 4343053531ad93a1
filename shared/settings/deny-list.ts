import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { type DeniedNames, isAtOrBelow } from '../targets/denied-names.ts';
import type { Config } from './config.ts';
import { readDenyFile } from './deny-file.ts';

/** TARGET_DENY_NAMES and what its file says now. */
export type DenyList = DeniedNames & {
  /** True, or why the list of the file is an older one. */
  state(): true | string;
  /** What tells this list from another. */
  digest(): string;
  /** How many names are on it. */
  count(): number;
};

/** How long a change of the file may go unseen, at most. */
const lookAgainMs = 5000;

const lists = new WeakMap<Config, DenyList>();

/** The list that these settings name; one for all who ask by the same settings. */
export function denyListOf(config: Config): DenyList {
  const known = lists.get(config) ?? openDenyList(config);
  lists.set(config, known);
  return known;
}

/** Opens the list: the file is read again at the first question after five seconds. */
export function openDenyList(
  {
    TARGET_DENY_NAMES: written,
    TARGET_DENY_NAMES_FILE: path,
  }: Pick<Config, 'TARGET_DENY_NAMES' | 'TARGET_DENY_NAMES_FILE'>,
  now: () => number = () => performance.now(),
): DenyList {
  let names: ReadonlySet<string> = new Set(written);
  let digest = digestOf(names);
  let revision = 0;
  let fault: string | undefined;
  let seen = '';
  let lookedAt = Number.NEGATIVE_INFINITY;
  const take = (next: ReadonlySet<string>) => {
    fault = undefined;
    const nextDigest = digestOf(next);
    if (nextDigest === digest) return;
    [names, digest] = [next, nextDigest];
    revision += 1;
  };
  const look = () => {
    if (path === undefined || now() - lookedAt < lookAgainMs) return;
    lookedAt = now();
    const sight = sightOf(path);
    // A file that is not there may come back as it was.
    if (sight !== undefined && sight === seen) return;
    seen = sight ?? '';
    const read = readDenyFile(path);
    if ('names' in read) take(new Set([...written, ...read.names]));
    else fault = `TARGET_DENY_NAMES_FILE ${read.fault}; the list that was read before it still holds`;
  };
  const looked =
    <Asked extends readonly unknown[], T>(answer: (...asked: Asked) => T) =>
    (...asked: Asked): T => {
      look();
      return answer(...asked);
    };
  look();
  return {
    covers: looked((host: string) => isAtOrBelow(host, names)),
    isEmpty: looked(() => names.size === 0),
    revision: looked(() => revision),
    state: looked(() => fault ?? true),
    digest: looked(() => digest),
    count: looked(() => names.size),
  };
}

/** What changes with a file, or with the link that names it. */
function sightOf(path: string): string | undefined {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path);
    return [ino, size, mtimeMs, ctimeMs].join();
  } catch {
    return undefined; // reading it says why
  }
}

function digestOf(names: ReadonlySet<string>): string {
  return names.size === 0 ? 'none' : hash('sha256', [...names].sort().join('\n'), 'base64url').slice(0, 12);
}
