import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A process of the service that a test started. */
export type ServiceProcess = {
  readonly child: ChildProcess;
  readonly url: string;
  readonly adminUrl: string;
  /** Every line of its log so far. */
  readonly lines: readonly string[];
  /** Its exit status, once it and everything that holds its output has ended. */
  readonly closed: Promise<number | null>;
  /** Signals it, or its whole process group where it has one; nothing happens if it has ended. */
  kill(signal: NodeJS.Signals): void;
};

export type Command = {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Gives it a process group of its own. */
  readonly isGroup?: boolean;
  /** Called at once, long before it is ready. */
  readonly onSpawn?: (child: ChildProcess) => void;
};

const startWithinMs = 45_000;

/** Those that a failed test has left: they would hold the output of the tests open for ever. */
const ends = new Set<() => void>();
process.on('exit', () => ends.forEach((end) => end()));

/** Starts a command that runs the service, and waits for its line `ready`. Throws with its log if it ends before, or is not ready within 45 s; its LOG_LEVEL must be info or more. */
export async function startService({
  program,
  args,
  environment,
  isGroup = false,
  onSpawn,
}: Command): Promise<ServiceProcess> {
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: isGroup,
  });
  onSpawn?.(child);
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const kill = (signal: NodeJS.Signals) => {
    try {
      process.kill(isGroup ? -(child.pid ?? 0) : (child.pid ?? 0), signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it has ended
    }
  };
  const end = () => kill('SIGKILL');
  ends.add(end);
  child.once('exit', () => ends.delete(end));
  const lines: string[] = [];
  const ready = Promise.withResolvers<{ url?: string; adminPort: number }>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    if (line.includes('"msg":"ready"'))
      ready.resolve(JSON.parse(line) as { url?: string; adminPort: number });
  });
  // A machine with others at work starts a process in some seconds; one that says nothing is not waited for.
  const late = setTimeout(() => kill('SIGKILL'), startWithinMs);
  void closed.then((code) => ready.reject(new Error(`it ended with ${code}: ${lines.join('\n')}`)));
  const { url = '', adminPort } = await ready.promise.finally(() => clearTimeout(late));
  return { child, url, adminUrl: `http://127.0.0.1:${adminPort}`, lines, closed, kill };
}
