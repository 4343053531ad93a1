import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Processes by their ancestors: known only on Linux, from /proc. */
const hasProc = process.platform === 'linux';

/**
 * The processes that descend from one of the roots, or belong to a group or session that a root leads (a child whose
 * parent has died keeps those); the roots included, zombies not.
 */
export function findTree(roots: readonly number[]): readonly number[] {
  if (!hasProc) return roots;
  const all = listProcesses();
  const found = new Set(
    all
      .filter(({ pid, group, session }) => [pid, group, session].some((id) => roots.includes(id)))
      .map(({ pid }) => pid),
  );
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

/** Kills the trees of the roots and waits until nothing of them runs; tells how many processes were left after a second. */
export async function killTree(roots: readonly number[]): Promise<number> {
  if (process.platform === 'win32') {
    for (const pid of roots) spawnSync('taskkill', ['/T', '/F', '/PID', String(pid)]);
    return 0;
  }
  if (!hasProc) {
    for (const pid of roots) signalQuietly(-pid);
    return 0;
  }
  for (let round = 0; round < 50; round += 1) {
    const tree = findTree(roots);
    if (tree.length === 0) return 0;
    for (const pid of tree) signalQuietly(pid);
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
  return findTree(roots).length;
}

/**
 * Memory of the processes together in bytes, without files such as shared libraries. Memory that two processes share is
 * counted twice, so the sum is an upper bound. null where it cannot be read.
 */
export function measureMemory(pids: readonly number[]): number | null {
  if (!hasProc) return null;
  return pids.reduce((sum, pid) => sum + readMemory(pid), 0);
}

type Listed = {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
};

function listProcesses(): readonly Listed[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const stat = readQuietly(`/proc/${name}/stat`);
    // The name of the program stands in brackets and may hold anything, brackets too.
    const [state, ...numbers] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (stat === '' || state === 'Z' || state === 'X') return [];
    const [parent = 0, group = 0, session = 0] = numbers.map(Number);
    return [{ pid: Number(name), parent, group, session }];
  });
}

function readMemory(pid: number): number {
  const status = readQuietly(`/proc/${pid}/status`);
  const kilobytes = [...status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)];
  return kilobytes.reduce((sum, [, count]) => sum + Number(count) * 1024, 0);
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // it ended while we looked
  }
}

function signalQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended before the signal came.
  }
}
