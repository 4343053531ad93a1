import { spawn } from 'node:child_process';
import { chownSync, mkdirSync, renameSync } from 'node:fs';
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
 * The temporary folder, and what takes it away. Chrome puts the socket of its ProcessSingleton there and does not start without one (the
 * headless shell has no such socket). But a download is written there before its refusal is heard: a script that makes up downloads wrote
 * 700 MB in a run. So it is gone once the browser is up, and such a download fails when its file is opened. Only shared memory that may
 * not lie in /dev/shm needs a folder for longer.
 */
function temporaryFolder({ arguments: flags, profile, uid }: Start) {
  if (flags.includes(shmOnDisk)) return { path: profile, takeAway: () => undefined };
  const path = join(profile, 'tmp');
  mkdirSync(path, { mode: 0o700 });
  if (uid !== undefined) chownSync(path, uid, uid);
  return {
    path,
    takeAway: () => {
      try {
        renameSync(path, join(profile, 'tmp-of-start'));
      } catch {
        // The profile itself is gone already: the run is over.
      }
    },
  };
}

/** Starts the browser as the user that the order names, knowing nothing of our environment. */
export function startChromium(start: Start): Chromium {
  const { executable, arguments: flags, profile, uid } = start;
  const temporary = temporaryFolder(start);
  const browser = spawn(executable, flags, {
    ...(uid === undefined ? {} : { uid, gid: uid }),
    cwd: profile,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    // No secrets of ours; and all that it writes goes where it is deleted afterwards.
    env: {
      HOME: profile,
      TMPDIR: temporary.path,
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
  const transport = openPipeTransport(write as Writable, read as Readable);
  // Its first word: it is up, and asked by nobody but us.
  read?.once('data', temporary.takeAway);
  return { pid: browser.pid ?? 0, transport, ended };
}
