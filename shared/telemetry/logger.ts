import { pino, stdSerializers } from 'pino';
import { type LogOutput, openLogStream } from './log-stream.ts';

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

// A driver hangs what it was asked onto its errors: a whole job, with the caller's address. None of that is for a log.
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack, code } = stdSerializers.err(error);
  return { type, message, stack, code };
}

/**
 * Opens the log. Error objects belong under the key `err`; the other fields are JSON.
 * @param output `sharesOutput` where other processes write their lines there too
 */
export function openLogger(level: string, output: LogOutput = { sharesOutput: false }): Logger {
  const stream = openLogStream(output);
  const log = pino({ level, base: null, timestamp: isoTime, serializers: { err: errorFields } }, stream);
  const writeInfo = (fields: object, message: string) => void stream.write(infoLine(fields, message));
  return {
    error: (fields, message) => log.error(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    info: log.isLevelEnabled('info') ? writeInfo : () => undefined,
    debug: (fields, message) => log.debug(fields, message),
  };
}

// The line that pino would write, at a third of its cost: nearly all lines are of this level, and none of them has an error.
function infoLine(fields: object, message: string): string {
  const json = JSON.stringify(fields);
  const more = json === '{}' ? '' : `,${json.slice(1, -1)}`;
  return `{"level":30${isoTime()}${more},"msg":${JSON.stringify(message)}}\n`;
}
