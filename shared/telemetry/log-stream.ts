import { pino } from 'pino';
import { humanLine } from './human-line.ts';

/** A stream of log lines, as pino writes them. */
export type LogStream = ReturnType<typeof pino.destination>;

/**
 * Each write wakes a thread, which costs 10 µs: lines are written 32 KiB at a time, and after 100 ms at the latest.
 * They are joined here, because sonic-boom counts the bytes of everything that waits anew for each line.
 */
const batchLength = 32_768;
/** What the kernel writes to a pipe in one piece, also where its reader is slow (PIPE_BUF of pipe(7)). */
const pieceLength = 4096;
const longestWaitMs = 100;

export type LogOutput = {
  /** Other processes write there too: no line of one may stand inside a line of another. */
  readonly sharesOutput: boolean;
};

/** Opens stdout for log lines: words where it is a terminal, JSON where a program reads it. What waits is written before the process ends, except by SIGKILL. */
export function openLogStream({ sharesOutput }: LogOutput): LogStream {
  const isTerminal = process.stdout.isTTY;
  const mostLength = sharesOutput ? pieceLength : batchLength;
  const stream: LogStream & { minLength?: number } = pino.destination({
    sync: false,
    // What is passed on is joined already, and is written at once.
    minLength: 1,
    maxWrite: sharesOutput ? pieceLength : 2 * batchLength,
    periodicFlush: longestWaitMs,
    contentMode: 'buffer',
  });
  const write = stream.write.bind(stream);
  const flush = stream.flush.bind(stream);
  const flushSync = stream.flushSync.bind(stream);
  // A piece of the kernel is counted in bytes; batches of one process need no count as exact.
  const lengthOf = (line: string) => (sharesOutput ? Buffer.byteLength(line) : line.length);
  let waiting = '';
  let waitingLength = 0;
  const passOn = () => {
    if (waiting === '') return;
    const bytes = Buffer.from(waiting);
    waiting = '';
    waitingLength = 0;
    // The type only knows texts; in this content mode the stream takes bytes.
    write(bytes as unknown as string);
  };
  return Object.assign(stream, {
    write(json: string) {
      const line = isTerminal ? humanLine(json) : json;
      const length = lengthOf(line);
      if (sharesOutput && waitingLength + length > mostLength) passOn();
      waiting += line;
      waitingLength += length;
      if (waitingLength >= mostLength) passOn();
      return true;
    },
    flush(done?: (error?: Error) => unknown) {
      passOn();
      if (done) flush(done);
    },
    flushSync() {
      // Only queued, for the next line to write: a write in the background would end with the process.
      stream.minLength = Number.POSITIVE_INFINITY;
      passOn();
      flushSync();
      stream.minLength = 1;
    },
  });
}
