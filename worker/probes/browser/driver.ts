import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ChildMessage, Order, Start, WorkerMessage } from './child/messages.ts';
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

/** A child with a browser of its own, for one page. */
export type Driver = {
  /** False once it has ended, whatever ended it. */
  isAlive(): boolean;
  /**
   * Loads the page and waits for the child's answer, its death, a limit or the signal, whichever comes first; then kills the child and all
   * that it started. Rejects only with the signal's reason. Called once.
   * @param heard tells whether any byte has come from the network yet
   */
  load(
    order: Omit<Order, 'kind'>,
    limits: ChildLimits,
    heard: () => boolean,
    signal: AbortSignal,
  ): Promise<ChildOutcome>;
  /** Kills the child and all that it started. */
  end(): Promise<void>;
};

/** Starts a child, which starts the browser and waits for its page. */
export function startDriver(start: Omit<Start, 'kind'>): Driver {
  const child = startChild();
  const seen: BrowserChildState = {
    browserPid: undefined,
    product: null,
    fault: null,
    peakMemoryBytes: null,
    upAt: null,
    hears: undefined,
  };
  const ended = listenTo(child, seen);
  let isAlive = true;
  const die = () => void (isAlive = false);
  ended.then(die, die);
  send(child, { kind: 'start', ...start });
  const end = async () => {
    await killTree([child.pid, seen.browserPid].filter((pid) => pid !== undefined));
  };
  return {
    end,
    isAlive: () => isAlive,
    async load(order, limits, heard, signal) {
      const stop = new AbortController();
      try {
        signal.throwIfAborted();
        seen.hears = limits;
        // Of a browser that is up already nothing can have come before it is told of a page.
        if (seen.product !== null) {
          seen.upAt = performance.now();
          limits.onStep?.('started');
        }
        send(child, { kind: 'load', ...order });
        const outcome = await Promise.race([
          ended,
          watch(child, limits, { seen, heard, profile: start.profile, stopped: stop.signal }),
          abortOf(signal, stop.signal),
        ]);
        return { end: outcome, product: seen.product, peakMemoryBytes: seen.peakMemoryBytes };
      } finally {
        stop.abort();
        await end();
      }
    },
  };
}

type BrowserChildState = {
  browserPid: number | undefined;
  product: string | null;
  fault: string | null;
  peakMemoryBytes: number | null;
  /** When the browser was up, and told of its page (performance.now); null before: until then nothing can come. */
  upAt: number | null;
  /** Who hears of the page; undefined before there is one. */
  hears: Pick<ChildLimits, 'onStep' | 'judgeOrigin'> | undefined;
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

// A child that is gone by then is reported by its exit.
function send(child: ChildProcess, message: WorkerMessage): void {
  child.send(message, () => undefined);
}

/** Resolves with the child's last word, or with its death. */
function listenTo(child: ChildProcess, seen: BrowserChildState): Promise<BrowserEnd> {
  return new Promise((resolve, reject) => {
    child.on('message', (told: ChildMessage) => {
      if (told.kind === 'browser') seen.browserPid = told.pid;
      else if (told.kind === 'product') {
        Object.assign(seen, { product: told.product, upAt: performance.now() });
        seen.hears?.onStep?.('started');
      } else if (told.kind === 'step') seen.hears?.onStep?.(told.step);
      else if (told.kind === 'certificate')
        seen.hears?.judgeOrigin(told.origin).then(answer(child, told.origin), reject);
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

function answer(child: ChildProcess, origin: string) {
  return (isTrusted: boolean) => send(child, { kind: 'trusted', origin, isTrusted });
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
