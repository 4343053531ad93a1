import { once } from 'node:events';
import type { ConnectionTransport } from 'puppeteer-core';
import { type BrowserAbout, readAbout } from './about.ts';
import { startChromium } from './child/chromium.ts';
import { openDevtools } from './devtools.ts';
import {
  type BrowserSettings,
  findBrowser,
  type FoundBrowser,
  noBrowser,
  type NoBrowser,
  unprivilegedUid,
} from './find-browser.ts';
import { chromiumFlags } from './flags.ts';
import { killTree } from './process-tree.ts';
import { makeProfile, removeProfile } from './profiles.ts';

export type BrowserTrial = {
  readonly noSandbox: boolean;
  /** Longest that it may take to answer. */
  readonly startMs: number;
  readonly signal: AbortSignal;
  /** Hears what browser it is that works. */
  readonly onFound?: (browser: BrowserAbout) => void;
};

/** Finds the browser and starts it once, so that a machine without a usable one is known before the first page. Undefined when all is well; never rejects. */
export async function tryBrowser(
  settings: BrowserSettings,
  trial: BrowserTrial,
): Promise<NoBrowser | undefined> {
  try {
    const found = await findBrowser(settings);
    return 'kind' in found ? found : await tryExecutable(found, trial);
  } catch (error) {
    // A full disk, or a folder that is not ours: it is tried again, so it must be an answer as any other.
    return noBrowser(
      `the browser could not be made ready (${(error as Error).message})`,
      'Make the folder that is named writable, with some space (TMPDIR names another one for temporary files), or set BROWSER_PATH to a Chrome or Chromium.',
    );
  }
}

async function tryExecutable(found: FoundBrowser, trial: BrowserTrial): Promise<NoBrowser | undefined> {
  const uid = process.getuid?.() === 0 ? unprivilegedUid : undefined;
  const profile = await makeProfile(uid);
  try {
    return await startOnce(found, { ...trial, profile, uid });
  } finally {
    await removeProfile(profile);
  }
}

type Start = BrowserTrial & { readonly profile: string; readonly uid: number | undefined };

// With the flags of a page load: a browser that works another way would prove nothing.
async function startOnce(
  found: FoundBrowser,
  { noSandbox, startMs, signal, profile, uid, onFound }: Start,
): Promise<NoBrowser | undefined> {
  signal.throwIfAborted();
  const start = { profile, proxyPort: discardPort, sandbox: !noSandbox, trustedKeys: [] };
  const { executable } = found;
  const browser = startChromium({ executable, arguments: chromiumFlags(start), profile, uid });
  const over = AbortSignal.any([signal, AbortSignal.timeout(startMs)]);
  try {
    return await Promise.race([
      computeOnce(browser.transport).then(
        async (product) => {
          onFound?.(await readAbout(found, product));
          return undefined;
        },
        (error: unknown) => readStartFailure((error as Error).message),
      ),
      browser.ended.then(readStartFailure),
      // Its last words would be of something that it got over: what is wrong is that it never answered.
      once(over, 'abort').then(() => neverAnswered(startMs)),
    ]);
  } finally {
    browser.transport.close();
    if (browser.pid > 0) await killTree([browser.pid]);
  }
}

/** Nothing is loaded, so that nobody has to be there. */
const discardPort = 9;

function neverAnswered(startMs: number): NoBrowser {
  return noBrowser(
    `the browser did not answer within ${startMs / 1000} s`,
    'A machine as slow as this has too little processor or memory for page loads: give it more, or take "browser" out of its WORKER_QUEUES.',
  );
}

/** What a browser that never came up says of the machine. @param words of its stderr */
export function readStartFailure(words: string): NoBrowser {
  if (/No usable sandbox|namespace|setuid sandbox|without --no-sandbox/i.test(words))
    return noBrowser(
      'Chromium cannot open its sandbox on this machine',
      'Allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1 or kernel.apparmor_restrict_unprivileged_userns=0, or a seccomp profile that permits them), or set BROWSER_NO_SANDBOX=1 where a container guards enough.',
    );
  const lines = words.split('\n').filter((line) => line.trim() !== '');
  const last = lines.find((line) => /FATAL|error while loading shared/.test(line)) ?? lines.at(-1);
  return noBrowser(
    `the browser did not start (${last?.slice(0, 200) ?? 'no word'})`,
    'Start it by hand to see what it lacks, or set BROWSER_PATH to another Chrome or Chromium.',
  );
}

/**
 * Has a page of the browser compute something, by the DevTools protocol: it needs the browser, its sandbox and a renderer, as a page load does.
 * Gives its product, such as "HeadlessChrome/153.0.8010.0". Pending for as long as the browser does not answer; rejects where it refuses.
 */
async function computeOnce(transport: ConnectionTransport): Promise<string> {
  const devtools = openDevtools(transport);
  const { targetId } = await devtools.ask('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await devtools.ask('Target.attachToTarget', { targetId, flatten: true });
  await devtools.ask('Runtime.evaluate', { expression: '6 * 7' }, String(sessionId));
  const { product } = await devtools.ask('Browser.getVersion', {});
  return typeof product === 'string' ? product.slice(0, 100) : 'unknown';
}
