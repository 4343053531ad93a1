import { execFileSync } from 'node:child_process';

/** The runner process of a worker; NaN while there is none. */
export function runnerPidOf(worker: number | undefined): number {
  const children = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(worker)], { encoding: 'utf8' });
  return Number.parseInt(children.split('\n').find((line) => line.includes('runner-main')) ?? '', 10);
}
