import { pino, stdSerializers } from 'pino';
import { humanLine } from './human-line.ts';

/** The log: JSON lines on stdout, fixed messages and fields. error = a person must act, warn = we coped, info = life of a job, debug = a probe. */
export type Logger = {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
  debug(fields: object, message: string): void;
};

// A driver hangs what it was asked onto its errors: a whole job, with the caller's address. None of that is for a log.
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack, code } = stdSerializers.err(error);
  return { type, message, stack, code };
}

/**
 * Each write wakes a thread, and sonic-boom counts the bytes of all that waits anew for each line: together two thirds of what a line costs.
 * So lines are joined before it gets them. At most so long, ms: each of the two lets them wait.
 */
const together = { length: 32_768, waitMs: 50 } as const;
/** Of lines that wait for a reader of stdout who stands still; those beyond are dropped. */
const longestQueue = 16 * 1024 * 1024;

/** Opens stdout for lines. What waits is written before the process ends, except by SIGKILL. */
function openOutput(): { write(line: string): void } {
  const stdout = pino.destination({
    sync: false,
    minLength: together.length,
    maxWrite: 4 * together.length,
    periodicFlush: together.waitMs,
    maxLength: longestQueue,
  });
  let waiting = '';
  const passOn = () => {
    if (waiting !== '') stdout.write(waiting);
    waiting = '';
  };
  setInterval(passOn, together.waitMs).unref();
  // Before pino's own listeners, which write what they have got.
  process.prependListener('beforeExit', passOn).prependListener('exit', passOn);
  return {
    write(line) {
      waiting += line;
      if (waiting.length >= together.length) passOn();
    },
  };
}

let lastMs = 0;
let lastText = '';

// pino's own makes the text anew for each line; of thirty lines a millisecond it is the same.
function isoTime(): string {
  const now = Date.now();
  if (now !== lastMs) lastText = `,"time":"${new Date(now).toISOString()}"`;
  lastMs = now;
  return lastText;
}

/** Opens the log on stdout: words where it is a terminal, JSON where a program reads it. Error objects belong under the key `err`; the other fields are JSON. */
export function openLogger(level: string): Logger {
  const lines = openOutput();
  const output = process.stdout.isTTY ? { write: (line: string) => lines.write(humanLine(line)) } : lines;
  return pino({ level, base: null, timestamp: isoTime, serializers: { err: errorFields } }, output);
}
