import { connect } from 'node:net';

/** A chunked body of so many bytes, one in each chunk, with its end. */
export function oneByteChunks(bytes: number): Buffer {
  return Buffer.concat([Buffer.alloc(6 * bytes, '1\r\na\r\n'), Buffer.from('0\r\n\r\n')]);
}

/** The head section of a request. @param fields lines without their ends */
export function headOf(line: string, fields: readonly string[]): string {
  return `${[`${line} HTTP/1.1`, 'Host: 127.0.0.1', ...fields].join('\r\n')}\r\n\r\n`;
}

export type Pieces = {
  readonly port: number;
  readonly head: string;
  readonly body: Buffer;
  /** Bytes of each write, and how long it waits behind each; left out: all at once. */
  readonly write?: { readonly bytes: number; readonly waitMs: number };
  /** The connection is closed after so long. */
  readonly ms: number;
};

/** Sends a request over a connection of its own. Gives the status of its answer, "" where none came. */
export function sendPieces({ port, head, body, write, ms }: Pieces): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    let text = '';
    let timer: NodeJS.Timeout | undefined;
    const late = setTimeout(() => socket.destroy(), ms);
    socket.on('data', (piece) => (text += text.length < 100 ? piece.toString('latin1', 0, 100) : ''));
    // The server may close while it is sent.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(late);
      clearTimeout(timer);
      resolve(text.slice(9, 12));
    });
    socket.write(head);
    if (!write) return void socket.write(body);
    let at = 0;
    const goOn = () => {
      if (at >= body.length) return;
      socket.write(body.subarray(at, (at += write.bytes)));
      timer = setTimeout(goOn, write.waitMs);
    };
    goOn();
  });
}
