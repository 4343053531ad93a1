import { Problem } from '../model/problem.ts';
import type { Logger } from './logger.ts';

/** The loops of this service that go on for ever, as log and metrics name them. */
export const loopNames = [
  'batches',
  'expiry of batches',
  'turns of watches',
  'webhooks',
  'mail',
  'revoked tokens',
  'paused watches',
  'clock of watches',
  'upkeep of watches',
  'expiry of reports',
  'upkeep of the store',
  'access records',
] as const;
export type LoopName = (typeof loopNames)[number];

/** How often each has failed in this process. */
const failed = new Map<LoopName, number>(loopNames.map((name) => [name, 0]));

/** How often each loop has failed, for /metrics. */
export function loopFailures(): ReadonlyMap<LoopName, number> {
  return failed;
}

const pauses = { firstMs: 1000, mostMs: 5000 } as const;
/** Of failures in a row, each so-manieth has a line in the log. */
const toldEach = 20;

/** The failures of one loop: each makes it pause, longer from one to the next. */
export type Failures = {
  /** Notes one, and gives how long to pause. A store that is away, or a disk that is full, is a warning; anything else a defect. */
  note(error: unknown): number;
  /** It works again. */
  over(): void;
};

/** Opens the failures of a loop. */
export function openFailures(loop: LoopName, log: Pick<Logger, 'error' | 'warn' | 'info'>): Failures {
  let inRow = 0;
  return {
    note(error) {
      failed.set(loop, (failed.get(loop) ?? 0) + 1);
      const pauseMs = Math.min(pauses.mostMs, pauses.firstMs * 2 ** Math.min(inRow, 10));
      inRow += 1;
      const fields = { err: error, loop, failures: inRow, pauseMs };
      if (!(error instanceof Problem)) log.error(fields, 'a loop of this process failed');
      else if (inRow % toldEach === 1)
        log.warn(fields, 'a loop of this process waits for its store or queue');
      return pauseMs;
    },
    over() {
      if (inRow > 0) log.info({ loop, failures: inRow }, 'a background loop has recovered');
      inRow = 0;
    },
  };
}

/** Something that is done again and again. */
export type Loop = {
  /** Does it at once, where it is not paused by a failure. */
  wake(): void;
  /** Begins no more, and waits for what is being done. */
  close(): Promise<void>;
};

export type LoopWork = {
  readonly name: LoopName;
  readonly everyMs: number;
  readonly log: Pick<Logger, 'error' | 'warn' | 'info'>;
  readonly act: () => Promise<void>;
};

/** Does something so often, one time after the other; after a failure only when its pause is over. Keeps no process alive. */
export function openLoop({ name, everyMs, log, act }: LoopWork): Loop {
  const failures = openFailures(name, log);
  let running: Promise<void> | undefined;
  let isWoken = false;
  let isPaused = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const again = (pauseMs: number) => {
    running = undefined;
    if (isClosed) return;
    if (isWoken && pauseMs === 0) return run();
    isPaused = pauseMs > 0;
    timer = setTimeout(run, Math.max(everyMs, pauseMs)).unref();
  };
  const run = () => {
    clearTimeout(timer);
    isWoken = false;
    running = act().then(
      () => {
        failures.over();
        again(0);
      },
      (error: unknown) => again(isClosed ? 0 : failures.note(error)),
    );
  };
  timer = setTimeout(run, everyMs).unref();
  return {
    wake() {
      if (running) isWoken = true;
      else if (!isPaused && !isClosed) run();
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await running;
    },
  };
}
