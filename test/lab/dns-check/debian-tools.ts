import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const tools = ['nsd', 'unbound', 'ldns-keygen', 'ldns-signzone', 'dig'] as const;
const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];

/** Where a program is; undefined when it is not installed. */
export function findTool(name: string): string | undefined {
  return folders
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/**
 * Why the signed lab cannot run here; undefined when it can. It needs Debian's tools, and root for port 53 on loopback.
 * A skip is said aloud, and is an error where `CI=true`.
 */
export function skipReason(what: string, more: readonly string[] = []): string | undefined {
  const missing = [...tools, ...more].filter((name) => findTool(name) === undefined);
  const isRoot = process.getuid?.() === 0;
  if (missing.length === 0 && isRoot) return undefined;
  const reason =
    missing.length > 0 ? `${missing.join(', ')} not installed` : 'port 53 on loopback needs root';
  if (process.env['CI'] === 'true') throw new Error(`${what} cannot be tested: ${reason}`);
  console.warn(`SKIPPED: ${what} (${reason})`);
  return reason;
}

/** Runs a program to its end and gives what it wrote; throws when it fails. */
export function run(name: string, args: readonly string[], cwd: string): string {
  return execFileSync(findTool(name) ?? name, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Starts a server in the foreground; `close` ends it and waits until it is gone. */
export function serve(name: string, args: readonly string[]): { close(): Promise<void> } {
  const child: ChildProcess = spawn(findTool(name) ?? name, args, { stdio: 'ignore' });
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  return {
    async close() {
      child.kill('SIGTERM');
      await gone;
    },
  };
}
