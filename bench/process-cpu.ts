import { readdirSync, readFileSync } from 'node:fs';

/**
 * Starts to watch how busy other work keeps the machine.
 * @returns a function that gives the share of all cores (0 to 1) that others had since; what this process and its ended
 *   children used is not counted. Undefined where there is no /proc
 */
export function watchOtherWork(): () => number | undefined {
  const before = readTicks();
  return () => {
    const now = readTicks();
    if (!before || !now) return undefined;
    const all = now.all - before.all;
    return all === 0 ? 0 : Math.max(0, (now.busy - before.busy - (now.own - before.own)) / all);
  };
}

/** Other processes of this process's group, those that have ended but for their parent left out; none where there is no /proc. */
export function listGroup(): readonly number[] {
  return listProcesses().filter((pid) => {
    if (pid === process.pid) return false;
    const [state, , group] = fieldsOf(pid);
    return state !== 'Z' && Number(group) === process.pid;
  });
}

type Ticks = { readonly all: number; readonly busy: number; readonly own: number };

function readTicks(): Ticks | undefined {
  const [line = ''] = read('/proc/stat').split('\n');
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, , , stolen = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number);
  if (line === '') return undefined;
  // Of this process and of its children that have ended: utime, stime, cutime, cstime.
  const own = fieldsOf(process.pid).slice(11, 15).map(Number);
  // Interrupts are left out: those of loopback are of nobody in particular.
  const busy = user + nice + system + stolen;
  return { all: busy + idle + wait, busy, own: own.reduce((sum, ticks) => sum + ticks, 0) };
}

/** CPU that these processes, and those that they have started, have used since their start, ms together. Linux counts it in hundredths of a second. */
export function cpuMsOf(pids: readonly (number | undefined)[]): number {
  return pids.reduce<number>((sum, pid) => {
    if (pid === undefined) return sum;
    const fields = fieldsOf(pid);
    // A process that has ended counts for the one that waited for it.
    const own = [11, 12, 13, 14].reduce((ticks, field) => ticks + Number(fields[field] ?? 0), 0);
    return sum + own * 10 + cpuMsOf(childrenOf(pid));
  }, 0);
}

/** Processes that a process has started and that have not ended. */
function childrenOf(pid: number): readonly number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`).trim().split(' ').filter(Boolean).map(Number),
  );
}

/** The fields of /proc/<pid>/stat from the state on; none for a process that has ended. */
function fieldsOf(pid: number): readonly string[] {
  return read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];
}

function listProcesses(): readonly number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch (error) {
    return absent(error, []);
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return absent(error, '');
  }
}

// A process may end between two looks, and not every system has /proc.
function absent<T>(error: unknown, instead: T): T {
  if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return instead;
  throw error;
}
