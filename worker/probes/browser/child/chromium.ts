import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { ConnectionTransport } from 'puppeteer-core';
import { shmOnDisk } from '../flags.ts';
import type { Order } from './messages.ts';
import { openPipeTransport } from './pipe-transport.ts';

export type Chromium = {
  readonly pid: number;
  readonly transport: ConnectionTransport;
  /** Resolves when the browser has ended, with the last of what it wrote to stderr. */
  readonly ended: Promise<string>;
};

type Start = Pick<Order, 'executable' | 'arguments' | 'profile' | 'uid'>;

/**
 * A download is written into the temporary folder before its refusal is heard: a script that makes up downloads wrote 700 MB in a run.
 * So there is none, and such a download fails when its file is opened. Only shared memory that may not lie in /dev/shm needs the folder.
 */
function temporaryFolder(flags: readonly string[], profile: string): string {
  return flags.includes(shmOnDisk) ? profile : join(profile, 'none');
}

/** Starts the browser as the user that the order names, knowing nothing of our environment. */
export function startChromium({ executable, arguments: flags, profile, uid }: Start): Chromium {
  const browser = spawn(executable, flags, {
    ...(uid === undefined ? {} : { uid, gid: uid }),
    cwd: profile,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    // No secrets of ours; and all that it writes goes where it is deleted afterwards.
    env: {
      HOME: profile,
      TMPDIR: temporaryFolder(flags, profile),
      XDG_CONFIG_HOME: profile,
      XDG_CACHE_HOME: profile,
      XDG_RUNTIME_DIR: profile,
      LANG: 'C.UTF-8',
      TZ: 'UTC',
    },
  });
  let stderr = '';
  browser.stderr?.on('data', (piece: Buffer) => {
    stderr = (stderr + piece.toString()).slice(-4000);
  });
  const ended = new Promise<string>((resolve) => {
    browser.once('error', (error) => resolve(error.message));
    browser.once('exit', (code, signal) => setImmediate(() => resolve(`exit ${code ?? signal}: ${stderr}`)));
  });
  const [, , , write, read] = browser.stdio;
  return {
    pid: browser.pid ?? 0,
    transport: openPipeTransport(write as Writable, read as Readable),
    ended,
  };
}
