import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

export type Running = {
  readonly child: ChildProcess;
  /** Lines of stdout so far. */
  readonly lines: readonly string[];
  readonly ended: Promise<Ended>;
};

export type Beside = {
  readonly environment?: Readonly<Record<string, string>>;
  /** What stdin gives; nothing where left out. */
  readonly input?: string;
};

/** Starts a command of diag; neither stdout nor stderr is a terminal. */
export function startDiag(args: readonly string[], { environment = {}, input = '' }: Beside = {}): Running {
  const child = spawn(process.execPath, ['cli/diag.js', ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...environment },
  });
  let stdout = '';
  let stderr = '';
  const lines: string[] = [];
  child.stdout.on('data', (piece: Buffer) => {
    stdout += piece.toString();
  });
  child.stderr.on('data', (piece: Buffer) => {
    stderr += piece.toString();
  });
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  child.stdin.end(input);
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { child, lines, ended };
}

/** Runs a command of diag to its end. */
export function diag(args: readonly string[], beside: Beside = {}): Promise<Ended> {
  return startDiag(args, beside).ended;
}
