import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';

/** Runs lines of a shell, in a network namespace if one is named; throws with what they wrote when one fails. */
export function shell(lines: string, namespace?: string): string {
  const [program, ...args] = namespace ? ['ip', 'netns', 'exec', namespace, 'sh'] : ['sh'];
  return execFileSync(program, [...args, '-e'], {
    input: lines,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 30_000,
  });
}

export type Running = { close(): Promise<void> };

/** Starts a program in a namespace; what it says goes to the file `log`. `close` ends it and waits until it is gone. */
export function startIn(
  namespace: string,
  log: string,
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Running {
  const output = openSync(log, 'a');
  // The command takes the place of `ip`: a signal reaches it.
  const child: ChildProcess = spawn('ip', ['netns', 'exec', namespace, ...command], {
    stdio: ['ignore', output, output],
    env: { ...process.env, ...env },
  });
  closeSync(output); // the child has its own
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  return {
    async close() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 3000);
      await gone;
      clearTimeout(timer);
    },
  };
}

/** Namespaces of this process: one that ends before it has closed them, as a test that fails may, leaves none. */
const open = new Set<string>();
process.once('exit', () => open.forEach(deleteNamespace));

/** What `ip netns exec` shows as /etc is here. */
export const settingsOf = (namespace: string) => `/etc/netns/${namespace}`;

export function addNamespace(name: string): void {
  open.add(name);
  shell(`ip netns add ${name}\nip -n ${name} link set lo up\n`);
}

/** Closes all, the youngest first, also when one of them fails. */
export async function closeAll(all: readonly (() => unknown)[]): Promise<void> {
  const faults: unknown[] = [];
  for (const close of all.toReversed()) {
    try {
      await close();
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length > 0) throw new AggregateError(faults, 'not all of the lab could be closed');
}
/** Ends what still runs in a namespace, which is ours, and removes it. */
export function deleteNamespace(name: string): void {
  open.delete(name);
  rmSync(settingsOf(name), { recursive: true, force: true });
  shell(
    `ip netns pids ${name} 2>/dev/null | xargs -r kill -9 2>/dev/null || :\nip netns del ${name} 2>/dev/null || :\n`,
  );
}
