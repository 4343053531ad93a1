import { connect } from 'node:net';

/** What is asked again and again: a path of a server on loopback, or many in turn. */
export type LoadRequest = {
  readonly port: number;
  readonly path: string;
  /** Where each request asks for another path: gives the next. */
  readonly nextPath?: () => string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
};

/**
 * Sends the same GET over kept connections, each as soon as the last one is answered, and gives how many were answered.
 * It reads of an answer what it must, so that the server is what is measured: a general client costs more than the answer.
 * Rejects for another status, and for an answer without a length.
 */
export async function load(asked: LoadRequest, connections: number, forMs: number): Promise<number> {
  const until = performance.now() + forMs;
  const counts = await Promise.all(Array.from({ length: connections }, () => ask(asked, until)));
  return counts.reduce((sum, count) => sum + count, 0);
}

function ask({ port, path, nextPath, headers, status }: LoadRequest, until: number): Promise<number> {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const end = ` HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${fields.join('')}Connection: keep-alive\r\n\r\n`;
  const question = () => `GET ${nextPath?.() ?? path}${end}`;
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    let missing = 0;
    let count = 0;
    socket.on('error', reject);
    socket.on('connect', () => socket.write(question()));
    socket.on('data', (bytes) => {
      missing = (missing === 0 ? lengthOf(bytes, status) : missing) - bytes.length;
      // Also where lengthOf says that it cannot tell.
      if (!(missing >= 0)) socket.destroy(new Error(`no ${status}: ${bytes.toString('latin1', 0, 400)}`));
      if (missing !== 0) return;
      count += 1;
      if (performance.now() < until) socket.write(question());
      else {
        socket.destroy();
        resolve(count);
      }
    });
  });
}

/** How long an answer is, head and body; NaN for another status or where that is not said. */
function lengthOf(bytes: Buffer, status: number): number {
  const end = bytes.indexOf('\r\n\r\n');
  const head = bytes.toString('latin1', 0, end);
  if (!head.startsWith(`HTTP/1.1 ${status} `)) return Number.NaN;
  if (status === 304) return end + 4;
  return end + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
}
