import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Stops a process, and waits until every thread of it stands still: on a busy machine one may answer for some time after the signal. */
export async function freeze(child: ChildProcess | undefined): Promise<void> {
  child?.kill('SIGSTOP');
  const threads = `/proc/${child?.pid}/task`;
  while (existsSync(threads) && !readdirSync(threads).every((thread) => isStopped(`${threads}/${thread}`)))
    await delay(2);
}

// "123 (name with blanks) T …": the state stands behind the last bracket (proc_pid_stat(5)).
function isStopped(thread: string): boolean {
  try {
    return /\) [Tt] [^)]*$/.test(readFileSync(`${thread}/stat`, 'utf8'));
  } catch {
    return true; // this thread has ended
  }
}
