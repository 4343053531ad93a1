import { setTimeout as delay } from 'node:timers/promises';
import { type Chromium, startChromium } from './child/chromium.ts';
import type { Order } from './child/messages.ts';
import {
  type BrowserSettings,
  findBrowser,
  type NoBrowser,
  noBrowser,
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
};

/** Finds the browser and starts it once, so that a machine without a usable one is known before the first page. Undefined when all is well; never rejects. */
export async function tryBrowser(
  settings: BrowserSettings,
  trial: BrowserTrial,
): Promise<NoBrowser | undefined> {
  try {
    const found = await findBrowser(settings);
    return 'kind' in found ? found : await tryExecutable(found.executable, trial);
  } catch (error) {
    // A full disk, or a folder that is not ours: it is tried again, so it must be an answer as any other.
    return noBrowser(
      `the browser could not be made ready (${(error as Error).message})`,
      'Mend what the log of the worker names, or set BROWSER_PATH to a Chrome or Chromium.',
    );
  }
}

async function tryExecutable(executable: string, trial: BrowserTrial): Promise<NoBrowser | undefined> {
  const uid = process.getuid?.() === 0 ? unprivilegedUid : undefined;
  const profile = await makeProfile(uid);
  try {
    return await startOnce({ executable, profile, uid }, trial);
  } finally {
    await removeProfile(profile);
  }
}

/** Nobody listens there; an empty page asks nobody. */
const noProxyPort = 9;

// As a run starts it, by the same flags and over the same pipe: --dump-dom never came to its end on machines where pages load well.
async function startOnce(
  place: Pick<Order, 'executable' | 'profile' | 'uid'>,
  { noSandbox, startMs, signal }: BrowserTrial,
): Promise<NoBrowser | undefined> {
  signal.throwIfAborted();
  const { profile } = place;
  const flags = chromiumFlags({ proxyPort: noProxyPort, profile, sandbox: !noSandbox, trustedKeys: [] });
  const { pid, transport, ended } = startChromium({ ...emptyOrder, ...place, arguments: flags });
  const end = new AbortController();
  try {
    return await Promise.race([
      loadEmptyPage(transport),
      ended.then(readStartFailure),
      delay(startMs, neverAnswered(startMs), { signal: AbortSignal.any([signal, end.signal]) }),
    ]);
  } finally {
    end.abort();
    transport.close();
    // 0 is no process of ours: it never started.
    if (pid > 0) await killTree([pid]);
  }
}

const emptyOrder = {
  url: 'about:blank',
  strategy: 'mobile',
  contact: undefined,
  waits: { firstPaintMs: 0, loadMs: 0, protocolMs: 0 },
} as const;

type Answer = {
  readonly id?: number;
  readonly result?: { readonly targetId?: string; readonly sessionId?: string };
  readonly error?: { readonly message: string };
};

// BROWSER_PATH may name anything, and that may say anything.
function readAnswer(text: string): Answer | null {
  try {
    return JSON.parse(text) as Answer | null;
  } catch {
    return null;
  }
}

/** Opens a page and has it count: the browser answers, and its renderers live. Undefined when all is well. */
async function loadEmptyPage(transport: Chromium['transport']): Promise<NoBrowser | undefined> {
  let lastId = 0;
  const waiting = new Map<number | undefined, (answer: Answer) => void>();
  transport.onmessage = (text) => {
    const answer = readAnswer(text);
    waiting.get(answer?.id)?.(answer ?? {});
  };
  const ask = (method: string, params: object, sessionId?: string) =>
    new Promise<Answer>((resolve) => {
      lastId += 1;
      waiting.set(lastId, resolve);
      transport.send(JSON.stringify({ id: lastId, method, params, sessionId }));
    });
  const { targetId } = (await ask('Target.createTarget', { url: 'about:blank' })).result ?? {};
  const { sessionId } = (await ask('Target.attachToTarget', { targetId, flatten: true })).result ?? {};
  const { error } = await ask('Runtime.evaluate', { expression: '1' }, sessionId);
  return error ? readStartFailure(error.message) : undefined;
}

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
