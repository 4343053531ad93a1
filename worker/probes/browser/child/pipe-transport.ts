import type { Readable, Writable } from 'node:stream';
import type { ConnectionTransport } from 'puppeteer-core';

/**
 * DevTools over a pair of pipes, a NUL after each message (Chromium's --remote-debugging-pipe). No port is opened that others
 * on the machine, or the page itself, could reach; and Chromium ends by itself when the pipe does.
 */
export function openPipeTransport(write: Writable, read: Readable): ConnectionTransport {
  const pieces: Buffer[] = [];
  const transport: ConnectionTransport = {
    send(message) {
      write.write(`${message}\0`);
    },
    close() {
      write.destroy();
      read.destroy();
    },
  };
  const take = (piece: Buffer) => {
    let rest = piece;
    for (let end = rest.indexOf(0); end !== -1; end = rest.indexOf(0)) {
      pieces.push(rest.subarray(0, end));
      const message = Buffer.concat(pieces.splice(0)).toString();
      // Each message in a turn of its own, as from a socket: puppeteer counts on promises to settle in between.
      setImmediate(() => transport.onmessage?.(message));
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) pieces.push(rest);
  };
  read.on('data', take);
  read.once('close', () => transport.onclose?.());
  // A dying browser breaks the pipe; that it died is reported by its exit.
  for (const stream of [write, read]) stream.on('error', () => undefined);
  return transport;
}
