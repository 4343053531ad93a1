import { type ChildProcess, fork, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { environmentWithoutBackend, nodeOptions } from '#shared/settings/child-environment';
import { makeMarkFile, type Marks } from './mark-file.ts';
import type { FromRunner, ToRunner } from './messages.ts';
import { openOutbox } from './outbox.ts';

/** How a process ended: its status, or the signal that ended it, and the end of what it wrote to its errors. */
export type ProcessEnd = {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly errors: string;
  readonly marks: Marks;
};

/** A runner process that was started. */
export type RunnerProcess = {
  readonly pid: number | undefined;
  readonly tell: (message: ToRunner) => void;
  readonly readMarks: () => Marks;
  readonly kill: () => void;
};

type ProcessEvents = {
  readonly onMessage: (message: FromRunner) => void;
  /** Once. A process that could not be started has ended as well. */
  readonly onEnd: (end: ProcessEnd) => void;
};

const main = fileURLToPath(new URL('./runner-main.ts', import.meta.url));
/** A heap that grows beyond is the end of the process, not of the machine. MB; an operator's own value comes first. */
const heapLimitMb = 1024;
const errorsKept = 4000;

/** Starts a runner process, with the settings of this one but for the way to queue and store. */
export function startRunnerProcess({ onMessage, onEnd }: ProcessEvents): RunnerProcess {
  const marks = makeMarkFile();
  const child = fork(main, [], {
    // A group of its own: an interrupt at the terminal is this process's to answer.
    detached: true,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc', marks.fd],
    execArgv: [...process.execArgv, ...heapLimit()],
    env: environmentWithoutBackend(),
  });
  const readErrors = keepErrors(child);
  const endShell = child.pid === undefined ? () => undefined : endOrphan(child.pid);
  let hasEnded = false;
  const end = (status: number | null, signal: NodeJS.Signals | null) => {
    if (hasEnded) return;
    hasEnded = true;
    endShell();
    onEnd({ status, signal, errors: readErrors(), marks: marks.read() });
    marks.close();
  };
  child.on('message', (messages) => {
    for (const message of messages as readonly FromRunner[]) if (!hasEnded) onMessage(message);
  });
  child.once('exit', end);
  // One that could not be started has no number and no exit; a message that cannot be written any more is reported by the exit.
  child.on('error', (error) => {
    if (child.pid === undefined) end(null, null);
    else if ('syscall' in error && error.syscall !== 'write') throw error;
  });
  const outbox = openOutbox<ToRunner>((messages, onWritten) => {
    if (child.connected) child.send([...messages], () => onWritten());
    else onWritten();
  });
  return {
    pid: child.pid,
    tell: outbox.send,
    readMarks: marks.read,
    kill: () => void child.kill('SIGKILL'),
  };
}

function heapLimit(): readonly string[] {
  return nodeOptions().includes('max-old-space-size') ? [] : [`--max-old-space-size=${heapLimitMb}`];
}

/** Keeps the end of what the process writes to its errors. */
function keepErrors(child: ChildProcess): () => string {
  let kept = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    kept = (kept + text).slice(-errorsKept);
  });
  return () => kept.trim();
}

/**
 * Sees to it that a process does not outlive this one, however this one ends: a process whose event loop is frozen hears of nothing. A shell
 * waits for the end of its input, which the system closes with this process. It takes 1 MB; a thread that looks takes 18.
 * @returns what ends the shell, once the process has ended
 */
function endOrphan(pid: number): () => void {
  const shell = spawn('/bin/sh', ['-c', 'read -r _; kill -9 "$1"', 'sh', String(pid)], {
    // A group of its own: an interrupt at the terminal is not the end of this process.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
  });
  // Without a shell, only a process that is not frozen ends with this one.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  return () => void shell.kill('SIGKILL');
}
