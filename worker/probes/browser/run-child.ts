import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Order, ChildMessage, Trusted } from './child/messages.ts';
import type { BrowserEnd, PageStep } from './port.ts';
import { findTree, killTree, measureMemory } from './process-tree.ts';
import { measureDisk } from './profiles.ts';

export type ChildLimits = {
  readonly timeoutMs: number;
  /** Of the driver and the browser together. */
  readonly memoryBytes: number;
  /** What the profile's folder may hold. */
  readonly diskBytes: number;
  readonly watchEveryMs: number;
  /** How long nothing at all may come from the network. */
  readonly silentMs: number;
  readonly onStep?: ((step: PageStep) => void) | undefined;
  /** Whether the operator's own authorities vouch for an origin; asked where the order says so. */
  readonly judgeOrigin: (origin: string) => Promise<boolean>;
};

export type ChildOutcome = {
  readonly end: BrowserEnd;
  readonly product: string | null;
  readonly peakMemoryBytes: number | null;
};

const childMain = fileURLToPath(new URL('./child/main.ts', import.meta.url));
const compileCache = fileURLToPath(new URL('../../../node_modules/.cache/diag', import.meta.url));

/**
 * Runs the order in a child and waits for its answer, its death, a limit or the signal, whichever comes first; then kills
 * the child and all that it started. Rejects only with the signal's reason.
 * @param heard tells whether any byte has come from the network yet
 */
export async function runChild(
  order: Order,
  limits: ChildLimits,
  heard: () => boolean,
  signal: AbortSignal,
): Promise<ChildOutcome> {
  signal.throwIfAborted();
  const child = startChild();
  const seen: BrowserChildState = {
    browserPid: undefined,
    product: null,
    fault: null,
    peakMemoryBytes: null,
    upAt: null,
  };
  const stop = new AbortController();
  try {
    const end = await Promise.race([
      listenTo(child, seen, limits),
      watch(child, limits, { seen, heard, profile: order.profile, stopped: stop.signal }),
      abortOf(signal, stop.signal),
      ordered(child, order),
    ]);
    return { end, product: seen.product, peakMemoryBytes: seen.peakMemoryBytes };
  } finally {
    stop.abort();
    await killTree([child.pid, seen.browserPid].filter((pid) => pid !== undefined));
  }
}

type BrowserChildState = {
  browserPid: number | undefined;
  product: string | null;
  fault: string | null;
  peakMemoryBytes: number | null;
  /** When the browser was up (performance.now); null before: until then nothing can come. */
  upAt: number | null;
};

function startChild(): ChildProcess {
  return fork(childMain, [], {
    // A group of its own: an interrupt at the terminal is the worker's to answer.
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: ['--max-old-space-size=1024', '--disable-warning=ExperimentalWarning'],
    // Nothing of the worker's environment, which holds secrets; the compile cache saves half a second of Lighthouse's start.
    env: { NODE_COMPILE_CACHE: compileCache, NO_COLOR: '1' },
  });
}

function ordered(child: ChildProcess, order: Order): Promise<never> {
  return new Promise((_, reject) => {
    child.send(order, (error) => {
      // A child that is gone already is told by its exit.
      if (error && child.exitCode === null && child.signalCode === null) reject(error);
    });
  });
}

/** Resolves with the child's last word, or with its death. */
function listenTo(
  child: ChildProcess,
  seen: BrowserChildState,
  { onStep, judgeOrigin }: ChildLimits,
): Promise<BrowserEnd> {
  return new Promise((resolve, reject) => {
    child.on('message', (told: ChildMessage) => {
      if (told.kind === 'browser') seen.browserPid = told.pid;
      else if (told.kind === 'product') {
        Object.assign(seen, { product: told.product, upAt: performance.now() });
        onStep?.('started');
      } else if (told.kind === 'step') onStep?.(told.step);
      else if (told.kind === 'certificate') judgeOrigin(told.origin).then(answer(child, told.origin), reject);
      else if (told.kind === 'fault') seen.fault = told.message;
      else resolve(endOf(told, seen));
    });
    child.once('error', (error) => resolve({ kind: 'crashed', message: error.message }));
    child.once('exit', (code, killedBy) => {
      // Its last word may still be on the way through the pipe.
      setTimeout(() => {
        resolve({ kind: 'crashed', message: seen.fault ?? `the driver ended (${code ?? killedBy})` });
      }, 100);
    });
  });
}

// A child that is gone by then is told by its exit.
function answer(child: ChildProcess, origin: string) {
  return (isTrusted: boolean) => void child.send({ origin, isTrusted } satisfies Trusted, () => undefined);
}

function endOf(
  told: Extract<ChildMessage, { kind: 'page' | 'no-page' | 'no-browser' }>,
  seen: BrowserChildState,
): BrowserEnd {
  if (told.kind === 'page') {
    const { page, document } = told;
    return { kind: 'loaded', page, ...(document ? { document } : {}) };
  }
  if (told.kind === 'no-browser') return { kind: 'crashed', message: told.message };
  const { code, message, status } = told;
  if (code === 'PROTOCOL') return { kind: 'crashed', message: seen.fault ?? message };
  return { kind: 'not-measured', code, message, status };
}

type WatchedChild = {
  readonly seen: BrowserChildState;
  readonly heard: () => boolean;
  readonly profile: string;
  readonly stopped: AbortSignal;
};

/** Resolves when a limit is passed. */
function watch(
  child: ChildProcess,
  limits: ChildLimits,
  { seen, heard, profile, stopped }: WatchedChild,
): Promise<BrowserEnd> {
  const start = performance.now();
  return new Promise((resolve) => {
    const look = () => {
      const tookMs = performance.now() - start;
      const roots = [child.pid, seen.browserPid].filter((pid) => pid !== undefined);
      const bytes = measureMemory(findTree(roots));
      if (bytes !== null) seen.peakMemoryBytes = Math.max(seen.peakMemoryBytes ?? 0, bytes);
      if (bytes !== null && bytes > limits.memoryBytes) resolve({ kind: 'killed', why: 'memory' });
      else if (measureDisk(profile) > limits.diskBytes) resolve({ kind: 'killed', why: 'disk' });
      else if (tookMs > limits.timeoutMs) resolve({ kind: 'killed', why: 'deadline' });
      else if (seen.upAt !== null && performance.now() - seen.upAt > limits.silentMs && !heard())
        resolve({ kind: 'killed', why: 'silent' });
    };
    const timer = setInterval(look, limits.watchEveryMs);
    stopped.addEventListener('abort', () => clearInterval(timer), { once: true });
  });
}

function abortOf(signal: AbortSignal, stopped: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true, signal: stopped });
  });
}
