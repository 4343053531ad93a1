import { connect } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { openService } from './kit.ts';

const service = await openService({
  sites: { 'http://good.test': (_request, response) => void response.end('hello') },
});
afterAll(() => service.close());

const good = '/api/tools/redirect-check?url=http%3A%2F%2Fgood.test%2F';

/** Sends these octets and gives all that comes until the connection is closed. */
function send(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const socket = connect(service.port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (piece: Buffer) => pieces.push(piece)).on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(pieces).toString('latin1')));
  });
}
const get = (path: string, fields: readonly string[]) =>
  send([`GET ${path} HTTP/1.1`, ...fields, 'Connection: close', '', ''].join('\r\n'));

test('a second Host field is refused, also for a report in memory', async () => {
  // Twice: the second is answered from memory.
  for (let time = 0; time < 2; time += 1)
    expect(await get(good, ['Host: localhost'])).toMatch(/^HTTP\/1\.1 200 /);
  for (const other of ['localhost', 'evil.test'])
    expect(await get(good, ['Host: localhost', `host: ${other}`])).toMatch(
      /^HTTP\/1\.1 400 [^]*Send this field once/,
    );
});

/** Sends a head, then a body as fast as it is read. Gives what was answered, once the connection is closed. */
function flood(head: string): Promise<{ readonly answer: string; readonly sentBytes: number }> {
  return new Promise((resolve) => {
    let answer = '';
    const block = Buffer.alloc(65_536, 'x');
    const socket = connect(service.port, '127.0.0.1', () => {
      socket.write(head);
      more();
    });
    const more = () => {
      while (!socket.destroyed && socket.write(block));
    };
    socket.on('drain', more).on('data', (piece) => {
      answer += piece.toString('latin1');
    });
    socket.on('error', () => undefined); // a reset is one way of being closed
    socket.on('close', () => resolve({ answer, sentBytes: socket.bytesWritten }));
  });
}

test.for([good, '/api/me', '/openapi.json', '/api/tools/redirect-check'])(
  'a body behind GET %s is not read: the connection ends behind the answer',
  async (path) => {
    await get(path, ['Host: localhost']);
    const head = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n`;
    for (const field of ['Content-Length: 100000000000', 'Transfer-Encoding: chunked']) {
      const { answer, sentBytes } = await flood(`${head}${field}\r\n\r\n`);
      expect(answer.match(/HTTP\/1\.1 \d/g)?.length ?? 0).toBeLessThan(2);
      // What the sockets of both ends hold; 1.1 GB within 15 s where it was read.
      expect(sentBytes).toBeLessThan(30_000_000);
    }
  },
);

test.for([
  ['/api/tools/redirect-check?', 'a&'],
  ['/api/tools/dns-check/good.test?', '%&'],
  ['/api/badge/good.test.svg?', 'a&'],
  ['/u/redirect-check?', 'url=&'],
] as const)('%s with 15 kB of %s is answered with less than that', async ([path, pair]) => {
  const answer = await get(`${path}${pair.repeat(Math.floor(15_000 / pair.length))}`, ['Host: localhost']);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer.length).toBeLessThan(15_000);
});
