import { once } from 'node:events';
import { connect } from 'node:net';

const kinds: readonly (readonly [beginning: RegExp, words: string])[] = [
  [/^[+-](?:PONG|NOAUTH|ERR|DENIED)/, 'a Redis'],
  [/^HTTP\//, 'a web server'],
  [/^\d{3}[ -]/, 'a mail or file server'],
];

/**
 * Says what answers a line of text, which Redis, web and mail servers do and MongoDB does not: 'a Redis', or 'a program' where the answer says
 * no more; undefined where nothing takes connections. Never rejects.
 */
export async function whoAnswers(host: string, port: number, withinMs: number): Promise<string | undefined> {
  const socket = connect({ host, port });
  let isTaken = false;
  try {
    const signal = AbortSignal.timeout(withinMs);
    await once(socket, 'connect', { signal });
    isTaken = true;
    socket.write('PING\r\n\r\n');
    const [bytes] = (await once(socket, 'data', { signal })) as [Buffer];
    const text = bytes.subarray(0, 100).toString('latin1');
    return kinds.find(([beginning]) => beginning.test(text))?.[1] ?? 'a program';
  } catch {
    return isTaken ? 'a program' : undefined;
  } finally {
    socket.on('error', () => undefined).destroy();
  }
}
