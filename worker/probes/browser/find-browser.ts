import { access, constants } from 'node:fs/promises';
import type { BrowserFailure, BrowserSource } from './port.ts';
import { tooFewProcesses } from './process-limit.ts';
import { unpackChromium } from './unpack-chromium.ts';

export type BrowserSettings = {
  /** BROWSER_PATH; must work if it is set. */
  readonly path: string | undefined;
  /** Where the bundled Chromium is unpacked; below /var/tmp instead when started as root. */
  readonly folder: string;
};

export type FoundBrowser = { readonly executable: string; readonly source: BrowserSource };
export type NoBrowser = Extract<BrowserFailure, { code: 'browser-unavailable' }>;

/** Who Chromium runs as when the worker is root: it keeps its sandbox only as somebody else ("nobody"). */
export const unprivilegedUid = 65_534;

const isRoot = process.getuid?.() === 0;

/**
 * Finds a browser: the configured one, else the bundled Chromium (the same on every Linux worker, and without
 * background traffic of its own), else an installed Chrome.
 */
export async function findBrowser(settings: BrowserSettings): Promise<FoundBrowser | NoBrowser> {
  const found = await findExecutable(settings);
  const limit = 'kind' in found ? undefined : await tooFewProcesses(isRoot);
  if (limit === undefined) return found;
  return noBrowser(
    `at most ${limit} processes and threads may run here, too few for a page load`,
    'Raise the limit to 256 or more: pids_limit of a container, TasksMax of systemd, or ulimit -u.',
  );
}

async function findExecutable({ path, folder }: BrowserSettings): Promise<FoundBrowser | NoBrowser> {
  if (path !== undefined) {
    if (await canExecute(path)) return { executable: path, source: 'configured' };
    return noBrowser(
      `BROWSER_PATH names ${path}, which cannot be executed`,
      'Set BROWSER_PATH to a Chrome or Chromium, or unset it to use the bundled one.',
    );
  }
  // Below a 0700 folder, such as root's home, the unprivileged user could not reach it.
  const bundled = await unpackChromium(isRoot ? '/var/tmp/diagnostic-tools' : folder);
  if (bundled !== undefined) return { executable: bundled, source: 'bundled' };
  const [installed] = await findInstalled();
  if (installed !== undefined) return { executable: installed, source: 'installed' };
  return noBrowser(
    'no Chrome or Chromium was found',
    'Install Chrome or Chromium, or set BROWSER_PATH to one; on Linux x64, npm install @sparticuz/chromium brings one.',
  );
}

/** The failure of a machine without a browser that works. */
export function noBrowser(reason: string, fix: string): NoBrowser {
  return { kind: 'failure', code: 'browser-unavailable', reason, fix };
}

async function findInstalled(): Promise<readonly string[]> {
  try {
    // Loaded here, as most processes have another browser or need none.
    const { Launcher } = await import('chrome-launcher');
    return Launcher.getInstallations();
  } catch {
    return []; // it throws where it finds none, or does not know the platform; an image without a browser lacks it
  }
}

async function canExecute(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
