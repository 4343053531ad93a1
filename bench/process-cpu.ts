import { readFileSync } from 'node:fs';

/** CPU that these processes have used since they started, ms together. Linux counts it in hundredths of a second. */
export function cpuMsOf(pids: readonly (number | undefined)[]): number {
  return pids.reduce<number>((sum, pid) => {
    if (pid === undefined) return sum;
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return sum + (Number(fields[11]) + Number(fields[12])) * 10;
  }, 0);
}
