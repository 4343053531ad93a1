import type { Duplex } from 'node:stream';
import { isMalformed } from '#shared/model/verdict';
import { inTurn } from '../turns.ts';
import type { ReplyRead } from './port.ts';
import { parseReplyLine } from './reply-line.ts';

/** A line has 512 bytes at most (RFC 5321 §4.5.3.1.5); some servers send longer ones, and clients read them. */
const lineBytes = 2048;
/** The longest lists of extensions have some twenty; clients read on far beyond. */
const linesOfReply = 512;
/** Of all replies of one connection. */
const bytesOfTalk = 65_536;
const piecesOfTalk = 1000;
const shownOfText = 512;

/** Reads the replies of a server, one after the other. Nothing is read between them. */
export type ReplyReader = {
  /** Waits for the next reply. Rejects only with the signal's reason. */
  read(timeoutMs: number, signal: AbortSignal): Promise<ReplyRead>;
  /** Drops what came after the last reply, and tells how many bytes that was. */
  drop(): number;
};

/** Opens the reader of a connection. */
export function openReplyReader(stream: Duplex): ReplyReader {
  const assembly = openAssembly();
  let pieces = 0;
  let bytes = 0;
  // What ends a connection while nobody reads must not become an unhandled 'error' event.
  stream.on('error', () => undefined);
  stream.pause();
  return {
    read(timeoutMs, signal) {
      const known = assembly.add('');
      if (known) return Promise.resolve(known);
      return new Promise((resolve, reject) => {
        const stop = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', abort);
          stream.off('data', take).off('end', closed).off('close', closed).off('error', reset);
          stream.pause();
        };
        const settle = (read: ReplyRead) => {
          stop();
          inTurn(() => resolve(read));
        };
        const take = (piece: Buffer) => {
          pieces += 1;
          bytes += piece.length;
          if (bytes > bytesOfTalk || pieces > piecesOfTalk)
            return settle(tooMuch(`it sends more than ${bytesOfTalk} bytes, or very many small pieces`));
          const read = assembly.add(piece.toString('latin1'));
          if (read) settle(read);
        };
        const closed = () => settle({ kind: 'closed' });
        const reset = () => settle({ kind: 'reset' });
        const abort = () => {
          stop();
          reject(signal.reason as Error);
        };
        if (signal.aborted) return reject(signal.reason as Error);
        const timer = setTimeout(() => settle({ kind: 'timeout' }), Math.max(0, timeoutMs));
        signal.addEventListener('abort', abort, { once: true });
        if (stream.destroyed || stream.readableEnded) return closed();
        stream.on('data', take).on('end', closed).on('close', closed).on('error', reset);
        stream.resume();
      });
    },
    drop() {
      const waiting = (stream.read() as Buffer | null)?.length ?? 0;
      return assembly.drop() + waiting;
    },
  };
}

/** Joins pieces to lines, and lines to replies; each character is looked at once. */
function openAssembly() {
  let rest = '';
  let lines: string[] = [];
  let firstCode = 0;
  const takeLine = (line: string): ReplyRead | undefined => {
    const read = parseReplyLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    if (isMalformed(read)) return { kind: 'malformed', reason: read.malformed, text: show(line) };
    if (lines.length > 0 && read.code !== firstCode)
      return { kind: 'malformed', reason: 'the lines of one reply have different codes', text: show(line) };
    firstCode = read.code;
    lines.push(show(read.text));
    if (!read.isLast)
      return lines.length < linesOfReply
        ? undefined
        : tooMuch(`a reply has more than ${linesOfReply} lines`, lines[0]);
    const reply = { kind: 'reply', code: read.code, lines } as const;
    lines = [];
    return reply;
  };
  return {
    /** The reply that is whole now; what comes after it waits for the next call. */
    add(text: string): ReplyRead | undefined {
      // Of what waited without new text, lines may be whole; before new text there is none.
      const search = text === '' ? 0 : rest.length;
      rest += text;
      let read: ReplyRead | undefined;
      let from = 0;
      for (let end = rest.indexOf('\n', search); end >= 0 && !read; end = rest.indexOf('\n', from)) {
        read = end - from > lineBytes ? longLine(rest.slice(from)) : takeLine(rest.slice(from, end));
        from = end + 1;
      }
      rest = rest.slice(from);
      return read ?? (rest.length > lineBytes ? longLine(rest) : undefined);
    },
    drop(): number {
      const { length } = rest;
      rest = '';
      return length;
    },
  };
}

function longLine(text: string): ReplyRead {
  return tooMuch(`a line has more than ${lineBytes} bytes`, text);
}

function tooMuch(reason: string, text = ''): ReplyRead {
  return { kind: 'malformed', reason, text: show(text), isOurLimit: true };
}

/** What is kept of a server's text: no control characters, and not more than a line may have. */
function show(text: string): string {
  return text
    .slice(0, shownOfText)
    .replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
    .trimEnd();
}
