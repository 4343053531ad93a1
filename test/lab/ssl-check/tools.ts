import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LabServer } from './servers.ts';

/** Whether a program is installed. Says so loudly when it is not; on CI that is a failure. */
export function hasTool(name: string, versionFlag: string): boolean {
  const isThere = spawnSync(name, [versionFlag]).error === undefined;
  if (!isThere && process.env['CI'] === 'true') throw new Error(`${name} is not installed`);
  if (!isThere) console.warn(`SKIPPED: ${name} is not installed; its set-ups of ssl-check are not run.`);
  return isThere;
}

/** A folder of files for one server; gone with it. */
export function makeFolder(files: { readonly [name: string]: string | Uint8Array }): string {
  const folder = mkdtempSync(join(tmpdir(), 'ssl-check-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

/** Starts a program and waits until its port takes connections. */
export async function startServer(
  command: readonly [string, ...string[]],
  port: number,
  folder: string,
  { withinMs = 8000, address = '127.0.0.1' }: { withinMs?: number; address?: string } = {},
): Promise<LabServer> {
  const [program, ...argv] = command;
  const child = spawn(program, argv, { cwd: folder, stdio: ['pipe', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr.on('data', (text: Buffer) => {
    complaint = `${complaint}${text.toString()}`.slice(-2000);
  });
  const deadline = Date.now() + withinMs;
  while (!(await isListening(port, address))) {
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`${program} did not start: ${complaint}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { port, close: () => stop(child, folder) };
}

async function stop(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await gone;
  }
  rmSync(folder, { recursive: true, force: true });
}

function isListening(port: number, address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, address);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
