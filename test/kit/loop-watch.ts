// Loaded into a service by --import: how long its own work holds the event loop, as a line of JSON in the file of LOOP_WATCH_FILE at its end,
// of its runner process in the file with .runner behind its name; a signal SIGUSR2 begins a part of its own.
import { writeFileSync } from 'node:fs';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

/** What was seen in one part of the service's life, a number at each look, ms. */
export type LoopSamples = {
  /** What the loop was held for by work of its own thread. A machine with other work is late too, but uses no CPU here. */
  readonly heldMs: number[];
  /** How late the timer was in all. */
  readonly lateMs: number[];
  /** How late meanwhile a timer was in a thread of the process that does nothing else. */
  idleLateMs: readonly number[];
  /** Ends of the long ones, in µs of the clock of CPU profiles. */
  readonly long: { readonly atUs: number; readonly ms: number }[];
};

const everyMs = 5;

function watchLoop(file: string): void {
  const begin = (): LoopSamples => ({ heldMs: [], lateMs: [], idleLateMs: [], long: [] });
  const looksOfThread = startIdleThread();
  let part = begin();
  const parts = [part];
  let used = process.threadCpuUsage();
  everyLook((late) => {
    const { user, system } = process.threadCpuUsage(used);
    const ms = Math.max(0, Math.min(late, (user + system) / 1000));
    part.heldMs.push(ms);
    part.lateMs.push(late);
    if (ms > 10) part.long.push({ atUs: Number(process.hrtime.bigint() / 1000n), ms });
    used = process.threadCpuUsage();
  });
  const end = () => {
    part.idleLateMs = looksOfThread();
  };
  process.on('SIGUSR2', () => {
    end();
    part = begin();
    parts.push(part);
  });
  process.on('exit', () => {
    end();
    writeFileSync(file, JSON.stringify(parts));
  });
}

/** @param look told how late the timer was */
function everyLook(look: (lateMs: number) => void): void {
  let at = performance.now();
  setInterval(() => {
    look(performance.now() - at - everyMs);
    at = performance.now();
  }, everyMs).unref();
}

/** Where the idle thread writes: first how many looks there are, then the last of them in turn. No message of it may wake the loop that is watched. */
const room = 100_000;

/** Starts the thread; gives what reads its looks since the last reading. */
function startIdleThread(): () => readonly number[] {
  const looks = new Float64Array(new SharedArrayBuffer(8 * (room + 1)));
  new Worker(new URL(import.meta.url), { workerData: { looks }, execArgv: [] }).unref();
  let read = 0;
  return () => {
    const from = read;
    read = looks[0] ?? 0;
    return Array.from({ length: read - from }, (_, index) => looks[1 + ((from + index) % room)] ?? 0);
  };
}

function watchThread(looks: Float64Array): void {
  let count = 0;
  everyLook((late) => {
    looks[1 + (count % room)] = late;
    count += 1;
    looks[0] = count;
  });
  // The timer alone would not keep it.
  setInterval(() => undefined, 1_000_000);
}

const { looks } = (workerData ?? {}) as { readonly looks?: Float64Array };
const file = process.env['LOOP_WATCH_FILE'];
// A thread of the service inherits --import, and is not watched.
if (looks) watchThread(looks);
else if (isMainThread && file !== undefined)
  watchLoop(process.argv[1]?.includes('runner-main') ? `${file}.runner` : file);
