import { readFileSync, readdirSync } from 'node:fs';

/** CPU that these processes, and those that they have started, have used since their start, ms together. Linux counts it in hundredths of a second. */
export function cpuMsOf(pids: readonly (number | undefined)[]): number {
  return pids.reduce<number>((sum, pid) => {
    if (pid === undefined) return sum;
    const fields = readProc(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? [];
    // A process that has ended counts for the one that waited for it.
    const own = [11, 12, 13, 14].reduce((ticks, field) => ticks + Number(fields[field] ?? 0), 0);
    return sum + own * 10 + cpuMsOf(childrenOf(pid));
  }, 0);
}

/** Processes that a process has started and that have not ended. */
export function childrenOf(pid: number): readonly number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.flatMap((thread) =>
    readProc(`/proc/${pid}/task/${thread}/children`).trim().split(' ').filter(Boolean).map(Number),
  );
}

function readProc(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // it has just ended
  }
}
