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
 * Each write wakes a thread, so lines wait for others, at most so long; what waits is written before the process ends, except by SIGKILL.
 * sonic-boom counts the bytes of all that waits anew for each line, so that more of them together cost more.
 */
const together = { minLength: 1024, maxWrite: 4096, periodicFlush: 100 } as const;

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
  const lines = pino.destination({ sync: false, ...together });
  const output = process.stdout.isTTY ? { write: (line: string) => lines.write(humanLine(line)) } : lines;
  return pino({ level, base: null, timestamp: isoTime, serializers: { err: errorFields } }, output);
}
