import { readFileSync } from 'node:fs';
import type { RunnerProcess } from './start-process.ts';

/** Why a process is frozen: it computes, somebody has stopped it, or it gets nowhere for a reason that cannot be seen. */
export type Freeze = 'busy' | 'stopped' | 'silent';

export type FreezeLimits = {
  /** CPU of its main thread since its event loop turned last. */
  readonly cpuMs: number;
  /** Time that passed here meanwhile. */
  readonly silentMs: number;
  readonly lookEveryMs: number;
};

/** A turn takes 100 ms at most; a machine may keep a process waiting for seconds, but not in CPU of its own. */
export const freezeLimits: FreezeLimits = { cpuMs: 1000, silentMs: 10_000, lookEveryMs: 250 };

/**
 * Watches the event loop of a runner process from outside, until it is stopped.
 * @returns what stops it
 */
export function watchFreeze(
  { pid, readMarks }: Pick<RunnerProcess, 'pid' | 'readMarks'>,
  limits: FreezeLimits,
  onFreeze: (freeze: Freeze) => void,
): () => void {
  let { beat } = readMarks();
  let silentMs = 0;
  let lookedAt = performance.now();
  const look = () => {
    const now = performance.now();
    // Time in which this process itself stood still says nothing of the other.
    silentMs += Math.min(now - lookedAt, 2 * limits.lookEveryMs);
    lookedAt = now;
    const marks = readMarks();
    if (marks.beat !== beat) {
      beat = marks.beat;
      silentMs = 0;
      return;
    }
    const cpuMs = pid === undefined ? undefined : readCpuMs(pid);
    const isBusy = cpuMs !== undefined && cpuMs - marks.cpuUs / 1000 > limits.cpuMs;
    if (!isBusy && silentMs < limits.silentMs) return;
    clearInterval(timer);
    onFreeze(isBusy ? 'busy' : isStopped(pid) ? 'stopped' : 'silent');
  };
  const timer = setInterval(look, limits.lookEveryMs).unref();
  return () => clearInterval(timer);
}

/** CPU that the main thread of a process has used; undefined where the system does not tell. */
function readCpuMs(pid: number): number | undefined {
  const text = readProc(`/proc/${pid}/task/${pid}/schedstat`);
  return text === undefined ? undefined : Number(text.split(' ')[0]) / 1e6;
}

function isStopped(pid: number | undefined): boolean {
  const text = pid === undefined ? undefined : readProc(`/proc/${pid}/stat`);
  // The name before it may hold any character.
  return /^[Tt]$/.test(text?.slice(text.lastIndexOf(')') + 2).split(' ')[0] ?? '');
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // another system, or a process that has just ended
  }
}
