import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { ConnectionTransport } from 'puppeteer-core';
import type { Start } from './messages.ts';
import { openPipeTransport } from './pipe-transport.ts';

export type Chromium = {
  readonly pid: number;
  readonly transport: ConnectionTransport;
  /** Resolves when the browser has ended, with the last of what it wrote to stderr. */
  readonly ended: Promise<string>;
};

type BrowserStart = Pick<Start, 'executable' | 'arguments' | 'profile' | 'uid'>;

/** Starts the browser as the user that the order names, knowing nothing of our environment. */
export function startChromium({ executable, arguments: flags, profile, uid }: BrowserStart): Chromium {
  const browser = spawn(executable, flags, {
    ...(uid === undefined ? {} : { uid, gid: uid }),
    cwd: profile,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    // No secrets of ours; and all that it writes goes where it is deleted afterwards. Without a temporary folder Chrome does not start, and no
    // body that DevTools fetches for Lighthouse (robots.txt, source maps) can be read.
    env: {
      HOME: profile,
      TMPDIR: profile,
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
  return { pid: browser.pid ?? 0, transport, ended };
}
