import { once } from 'node:events';
import { startChromium } from '../probes/browser/child/chromium.ts';
import { openDevtools } from '../probes/browser/devtools.ts';
import { type BrowserSettings, findBrowser, unprivilegedUid } from '../probes/browser/find-browser.ts';
import { chromiumFlags } from '../probes/browser/flags.ts';
import { findTree, killTree, measureMemory } from '../probes/browser/process-tree.ts';
import { makeProfile, removeProfile } from '../probes/browser/profiles.ts';
import { type Paper, type Printed, printPage } from './print-page.ts';

export type PrintSettings = {
  readonly browser: BrowserSettings;
  readonly noSandbox: boolean;
  /** Where the browser looks for its proxy. Nobody is there: the page is given to it, and it has no way to anywhere. */
  readonly proxyPort: number;
  readonly pdfBytes: number;
  readonly memoryBytes: number;
  readonly watchEveryMs: number;
};

/** Production's limits. A report of 512 KiB makes less than a quarter of these bytes. */
export const printLimits = {
  proxyPort: 9,
  pdfBytes: 4_000_000,
  memoryBytes: 1_000_000_000,
  watchEveryMs: 250,
} as const;

/**
 * Prints a page of ours in a browser of its own: no script runs, and every request is refused. Rejects only with the signal's reason;
 * nothing of the browser is left when it returns.
 */
export async function printHtml(
  paper: Paper,
  settings: PrintSettings,
  signal: AbortSignal,
): Promise<Printed> {
  signal.throwIfAborted();
  const found = await findBrowser(settings.browser);
  if ('kind' in found) return { failure: found.reason };
  const uid = process.getuid?.() === 0 ? unprivilegedUid : undefined;
  const profile = await makeProfile(uid);
  const { noSandbox, proxyPort } = settings;
  const flags = chromiumFlags({ proxyPort, profile, sandbox: !noSandbox, trustedKeys: [] });
  const browser = startChromium({ executable: found.executable, arguments: flags, profile, uid });
  const over = new AbortController();
  try {
    return await Promise.race([
      printPage(openDevtools(browser.transport), paper, settings.pdfBytes).catch(asFailure),
      browser.ended.then(() => ({ failure: 'the browser ended' })),
      watchMemory(browser.pid, settings, over.signal),
      once(signal, 'abort', { signal: over.signal }).then(() => Promise.reject(signal.reason as Error)),
    ]);
  } finally {
    over.abort();
    browser.transport.close();
    if (browser.pid > 0) await killTree([browser.pid]);
    await removeProfile(profile);
  }
}

function asFailure(error: unknown): Printed {
  return { failure: `the browser refused (${String(error).slice(0, 200)})` };
}

function watchMemory(
  pid: number,
  { memoryBytes, watchEveryMs }: PrintSettings,
  over: AbortSignal,
): Promise<Printed> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if ((measureMemory(findTree([pid])) ?? 0) > memoryBytes)
        resolve({ failure: 'it needed more memory than it may' });
    }, watchEveryMs);
    over.addEventListener('abort', () => clearInterval(timer), { once: true });
  });
}
