import type { Logger } from '#shared/telemetry/logger';
import type { FromRunner, ToRunner } from './messages.ts';
import { type ProcessEnd, type RunnerProcess, startRunnerProcess } from './start-process.ts';
import { type Freeze, type FreezeLimits, watchFreeze } from './watch-freeze.ts';

/** A process that had runs, and has ended: how, and whether it was frozen before. */
export type Loss = ProcessEnd & { readonly freeze: Freeze | undefined };

/**
 * Why a runner process ended: its data kept it busy or broke it; it got nowhere for a reason that cannot be seen; or somebody killed it, perhaps the
 * system, for want of memory.
 */
export type RunnerEnd = 'frozen' | 'crashed' | 'silent' | 'killed';

/** Tells the ends of processes apart. Who may send signals to a process can end it from outside, and so can a machine without memory. */
export function causeOf({ freeze, signal }: Pick<Loss, 'freeze' | 'signal'>): RunnerEnd {
  if (freeze !== undefined) return freeze === 'busy' ? 'frozen' : 'silent';
  return signal === 'SIGKILL' || signal === 'SIGTERM' ? 'killed' : 'crashed';
}

/** A runner process that is replaced when it ends. */
export type KeptProcess = {
  /** Sends a message; one for a process that is not ready is lost, and `onReady` comes later. */
  tell(message: ToRunner): void;
  close(): Promise<void>;
};

export type KeepSettings = {
  readonly log: Logger;
  readonly limits: FreezeLimits;
  /** @param answer tells this process, and no later one: each numbers its calls from 1 */
  readonly onMessage: (
    message: Exclude<FromRunner, { kind: 'ready' }>,
    answer: (message: ToRunner) => void,
  ) => void;
  readonly onReady: () => void;
  /** A process has ended that nobody had asked to. */
  readonly onEnded: (cause: RunnerEnd) => void;
  /** A process that was ready has ended. */
  readonly onLoss: (loss: Loss) => void;
};

/** One that ends is replaced at once; one that ends again and again before it is ready, after half a minute at most. */
const delays = { leastMs: 250, mostMs: 30_000 } as const;

/** Keeps a runner process, until it is closed. */
export function keepProcess(settings: KeepSettings): KeptProcess {
  const { log } = settings;
  let current: { readonly life: Life; readonly ended: Promise<void> } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosing = false;
  let failedStarts = 0;
  const start = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const life = startLife(settings, (loss) => {
      resolve();
      current = undefined;
      if (isClosing) return;
      failedStarts = loss.wasReady ? 0 : failedStarts + 1;
      const inMs = failedStarts === 0 ? 0 : Math.min(delays.mostMs, delays.leastMs * 2 ** failedStarts);
      settings.onEnded(causeOf(loss));
      const { status, signal, freeze, errors } = loss;
      log.error({ status, signal, freeze, errors, inMs }, 'the runner process ended; starting another');
      if (loss.wasReady) settings.onLoss(loss);
      timer = setTimeout(start, inMs);
    });
    current = { life, ended: promise };
  };
  start();
  return {
    tell: (message) => current?.life.tell(message),
    async close() {
      isClosing = true;
      clearTimeout(timer);
      if (!current) return;
      const { life, ended } = current;
      // One that is not ready has nothing to tell, and one that is frozen tells nothing.
      if (!life.end()) life.kill();
      const late = setTimeout(() => life.kill(), endWithinMs);
      await ended.finally(() => clearTimeout(late));
    },
  };
}

/** The spans that are left go to a collector, which may be slow. */
const endWithinMs = 4000;

type Life = Pick<RunnerProcess, 'tell' | 'kill'> & {
  /** Asks it to end; false where it is not ready yet. */
  end(): boolean;
};

/** One process, from its start to its end. */
function startLife(
  { limits, onMessage, onReady }: KeepSettings,
  onEnd: (loss: Loss & { readonly wasReady: boolean }) => void,
): Life {
  let isReady = false;
  let freeze: Freeze | undefined;
  let stopWatching: () => void = () => undefined;
  const started = startRunnerProcess({
    onMessage(message) {
      if (message.kind !== 'ready') return onMessage(message, started.tell);
      isReady = true;
      stopWatching = watchFreeze(started, limits, (how) => {
        freeze = how;
        started.kill();
      });
      onReady();
    },
    onEnd(end) {
      stopWatching();
      onEnd({ ...end, freeze, wasReady: isReady });
    },
  });
  return {
    kill: started.kill,
    tell: (message) => void (isReady && started.tell(message)),
    end() {
      if (isReady) started.tell({ kind: 'end' });
      return isReady;
    },
  };
}
