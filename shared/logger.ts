import { pino } from 'pino';

/** The log: JSON lines on stdout, fixed messages and fields. error = a person must act, warn = we coped, info = life of a job, debug = a probe. */
export type Logger = {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
  debug(fields: object, message: string): void;
};

let lastMs = 0;
let lastText = '';

// pino's own makes the text anew for each line; of thirty lines a millisecond it is the same.
function isoTime(): string {
  const now = Date.now();
  if (now !== lastMs) lastText = `,"time":"${new Date(now).toISOString()}"`;
  lastMs = now;
  return lastText;
}

/** Opens the log. Error objects belong under the key `err`. */
export function openLogger(level: string): Logger {
  return pino(
    { level, base: null, timestamp: isoTime },
    pino.destination({ sync: false, minLength: 4096, periodicFlush: 100 }),
  );
}
