import type { Me } from './api-types.ts';
import type { AskOptions } from './ask.ts';
import type { Progress } from './exchange.ts';
import { openPace, type Pace } from './pace.ts';
import { DiagnosticsProblem, ServerUnreachable } from './problem.ts';
import { onAbort } from './wait.ts';

/** What became of one of many targets. `index` is its place in the list; answers come in the order in which they are ready. */
export type TargetAnswer<Report> =
  | { readonly target: string; readonly index: number; readonly report: Report; readonly problem?: undefined }
  | { readonly target: string; readonly index: number; readonly report?: undefined; readonly problem: Error };

export type EachOptions = Omit<AskOptions, 'onProgress'> & {
  /** Hears what the caller may spend, and what a run of each tool costs, before the first target is asked. */
  readonly onLimits?: (me: Me) => void;
  /** `auto` finds the most that the service takes; 100 at most. */
  readonly concurrency?: 'auto' | number;
  readonly onProgress?: (progress: Progress, target: string) => void;
};

/** Asks one target. */
type AskOne<Report> = (target: string, options: AskOptions) => Promise<Report>;

/** A run over many targets, as far as it has come. */
type EachRun<Report> = {
  readonly askOne: AskOne<Report>;
  readonly iterator: Iterator<string> | AsyncIterator<string>;
  readonly options: EachOptions;
  readonly pace: Pace;
  readonly stop: AbortController;
  /** What ends the asking of each target: a hundred that listen to one signal would be taken for a leak by Node 20. */
  readonly asking: Set<AbortController>;
  /** Answers that were not taken yet. */
  readonly ready: TargetAnswer<Report>[];
  running: number;
  next: number;
  isPulling: boolean;
  isEnded: boolean;
  fatal: Error | undefined;
  /** Wakes the reader. */
  wake: () => void;
};

/**
 * Asks many targets, as many at once as the pace allows, and gives each answer when it is ready. A target that is refused is an answer
 * with a `problem`. What would meet every other target too ends the iteration: a token that is not valid, a server that is away.
 */
export async function* askEach<Report>(
  askOne: AskOne<Report>,
  targets: Iterable<string> | AsyncIterable<string>,
  options: EachOptions,
): AsyncGenerator<TargetAnswer<Report>, void, void> {
  const { concurrency = 'auto', signal } = options;
  const run: EachRun<Report> = {
    askOne,
    iterator: iteratorOf(targets),
    options,
    pace: openPace(concurrency),
    stop: new AbortController(),
    asking: new Set(),
    ready: [],
    running: 0,
    next: 0,
    isPulling: false,
    isEnded: false,
    fatal: undefined,
    wake: () => undefined,
  };
  const stop = () => {
    end(run, signal?.reason);
    run.wake();
  };
  if (signal?.aborted) stop();
  const endWait = onAbort(signal, stop);
  try {
    yield* answersOf(run);
  } finally {
    endWait();
    end(run, new Error('The iteration has ended.'));
    await run.iterator.return?.();
  }
}

function end<Report>({ stop, asking }: EachRun<Report>, reason: unknown): void {
  for (const one of [stop, ...asking]) one.abort(reason);
}

async function* answersOf<Report>(run: EachRun<Report>): AsyncGenerator<TargetAnswer<Report>, void, void> {
  for (;;) {
    pull(run);
    const answer = run.ready.shift();
    if (answer) yield answer;
    else if (run.fatal) throw run.fatal;
    else if (run.isEnded && run.running === 0) return;
    else {
      run.stop.signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        run.wake = resolve;
      });
    }
  }
}

// Answers that nobody takes count as running: a slow reader slows the asking, and holds no more than a round of it.
function pull<Report>(run: EachRun<Report>): void {
  const isFull = run.running + run.ready.length >= run.pace.limit();
  if (isFull || run.isPulling || run.isEnded || run.fatal || run.stop.signal.aborted) return;
  run.isPulling = true;
  void Promise.resolve(run.iterator.next())
    .then(
      ({ done, value }) => {
        if (done === true) run.isEnded = true;
        else void start(run, value, run.next++);
      },
      (error: Error) => void (run.fatal ??= error),
    )
    .finally(() => {
      run.isPulling = false;
      goOn(run);
    });
}

async function start<Report>(run: EachRun<Report>, target: string, index: number): Promise<void> {
  const { concurrency: _, onLimits: __, onProgress, ...rest } = run.options;
  const watch = (progress: Progress) => {
    if (progress.kind === 'retry') run.pace.refused();
    onProgress?.(progress, target);
  };
  run.running += 1;
  const own = new AbortController();
  run.asking.add(own);
  try {
    const report = await run.askOne(target, {
      follows: false,
      ...rest,
      signal: own.signal,
      onProgress: watch,
    });
    run.ready.push({ target, index, report });
  } catch (error) {
    const problem = error instanceof Error ? error : new Error(String(error), { cause: error });
    if (isFatal(problem, run.stop.signal)) run.fatal ??= problem;
    else run.ready.push({ target, index, problem });
  } finally {
    run.asking.delete(own);
    run.running -= 1;
    run.pace.answered();
    goOn(run);
  }
}

function goOn<Report>(run: EachRun<Report>): void {
  pull(run);
  run.wake();
}

function isFatal(error: Error, signal: AbortSignal): boolean {
  if (error instanceof DiagnosticsProblem)
    return (
      error.status === 401 ||
      error.status === 403 ||
      (error.status === 429 && error.retryAfterS === undefined)
    );
  return signal.aborted || error instanceof ServerUnreachable;
}

function iteratorOf(
  targets: Iterable<string> | AsyncIterable<string>,
): Iterator<string> | AsyncIterator<string> {
  return Symbol.asyncIterator in targets ? targets[Symbol.asyncIterator]() : targets[Symbol.iterator]();
}
