import { connect } from 'node:net';

/** How often each status was answered. */
export type Statuses = { readonly [status: string]: number };

const connections = 32;
/** Requests that a connection has on their way: the server never waits for the client. */
const depth = 32;
const statusLine = /HTTP\/1\.1 (\d{3}) [^]*?\r\n\r\n/g;

/**
 * Sends these requests over a few connections, many at once on each, and reads no body: answers are found by their status lines.
 * @param write the octets of one request, with Host and without a body
 */
export async function sendPipelined(
  port: number,
  from: number,
  to: number,
  write: (index: number) => string,
): Promise<Statuses> {
  const statuses: Record<string, number> = {};
  let next = from;
  const lane = () =>
    new Promise<void>((resolve, reject) => {
      let onTheirWay = 0;
      let rest = '';
      const socket = connect(port, '127.0.0.1');
      const send = () => {
        let text = '';
        for (; onTheirWay < depth && next < to; onTheirWay += 1) text += write(next++);
        if (text !== '') socket.write(text, 'latin1');
        else if (onTheirWay === 0) socket.end();
      };
      socket.setEncoding('latin1').on('connect', send).on('error', reject).on('close', resolve);
      socket.on('data', (piece) => {
        const text = rest + String(piece);
        let end = 0;
        for (const { 0: head, 1: status = '', index } of text.matchAll(statusLine)) {
          statuses[status] = (statuses[status] ?? 0) + 1;
          onTheirWay -= 1;
          end = index + head.length;
        }
        // A head may be split between two pieces.
        const begun = text.lastIndexOf('HTTP/1.1 ');
        rest = begun >= end ? text.slice(begun) : text.slice(end).slice(-10);
        send();
      });
    });
  await Promise.all(Array.from({ length: connections }, lane));
  return statuses;
}
