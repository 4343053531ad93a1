import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { hasBody, slowSenderOptions, usualConnectionLimits } from '../../shared/lifecycle/connections.ts';
import { listen } from '../../shared/lifecycle/listen.ts';
import { answerInTurns } from '../../shared/lifecycle/read-in-turns.ts';

let server: Server;
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Listens with a server that Node reads by itself (usual), or that is read in turns from the start. */
async function open(isUsual: boolean, answer: Answer): Promise<number> {
  server = createServer(slowSenderOptions(usualConnectionLimits));
  answerInTurns(server, (request, response) => void answer(request, response), isUsual);
  return listen(server, '127.0.0.1', 0);
}

/** Answers with the path and what the body was. */
const echo: Answer = (request, response) => {
  let text = '';
  const end = () => response.end(`${request.url} ${text.length} ${text.slice(0, 8)};`);
  // Node tells of no end where there is no body.
  if (!hasBody(request.headers)) return void end();
  request.on('data', (piece: Buffer) => (text += piece.toString()));
  request.on('end', end);
};

/** Sends bytes; gives all that comes back until the server closes, or until `count` answers are there. */
function talk(port: number, bytes: readonly (string | Buffer)[], { ends = false, count = Infinity } = {}) {
  return new Promise<string>((resolve) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let text = '';
    const done = () => {
      resolve(text);
      socket.destroy();
    };
    socket.on('data', (piece) => {
      text += piece.toString();
      if (text.split(';').length > count) done();
    });
    socket.on('end', done).on('error', done);
    for (const one of bytes) socket.write(one);
    if (ends) socket.end();
  });
}

const head = (line: string, ...fields: readonly string[]) =>
  `${[`${line} HTTP/1.1`, 'Host: localhost', ...fields].join('\r\n')}\r\n\r\n`;
const chunked = (text: string, size: number) =>
  `${Array.from({ length: Math.ceil(text.length / size) }, (_, at) => {
    const piece = text.slice(at * size, (at + 1) * size);
    return `${piece.length.toString(16)}\r\n${piece}\r\n`;
  }).join('')}0\r\n\r\n`;
const post = (path: string, text: string, size: number) =>
  head(`POST ${path}`, 'Transfer-Encoding: chunked') + chunked(text, size);
const long = 'abcdefgh'.repeat(4000);

describe.for([true, false])('a server that Node reads by itself as long as it may: %s', (isUsual) => {
  test.for([1, 7, 4096, 40_000])('reads a body in chunks of %d bytes whole', async (size) => {
    const port = await open(isUsual, echo);
    expect(await talk(port, [post('/a', long, size)], { count: 1 })).toContain('/a 32000 abcdefgh;');
  });

  test('goes on with the connection behind a body, and behind requests that were not waited for', async () => {
    const port = await open(isUsual, echo);
    const all = Array.from({ length: 60 }, (_, at) =>
      at % 3 ? head(`GET /${at}`) : post(`/${at}`, long, 9),
    );
    const text = await talk(port, all, { count: 60 });
    expect([...text.matchAll(/\r\n\/(\d+) /g)].map(([, at]) => Number(at))).toEqual([...all.keys()]);
  });

  test('reads all that came before its client closed its side', async () => {
    const read = Promise.withResolvers<number>();
    const port = await open(isUsual, (request) => {
      let length = 0;
      request.on('data', (piece: Buffer) => (length += piece.length));
      request.on('end', () => read.resolve(length));
      request.on('error', () => read.resolve(-1));
    });
    void talk(port, [post('/a', long, 3)], { ends: true });
    expect(await read.promise).toBe(long.length);
  });

  test('hands a body on as its reader takes it', async () => {
    const seen = Promise.withResolvers<number>();
    const port = await open(isUsual, async (request, response) => {
      for (let at = 0; at < 200; at += 1) await turn();
      seen.resolve(request.readableLength);
      echo(request, response);
    });
    const text = talk(port, [head('POST /a', 'Content-Length: 2000000'), Buffer.alloc(2_000_000, 'a')], {
      count: 1,
    });
    expect(await seen.promise).toBeLessThan(300_000);
    expect(await text).toContain('/a 2000000 aaaaaaaa;');
  });

  test('keeps few of the pieces that nobody reads', async () => {
    const seen = Promise.withResolvers<number>();
    const port = await open(isUsual, async (request, response) => {
      for (let at = 0; at < 200; at += 1) await turn();
      seen.resolve(request.readableLength);
      response.writeHead(400, { Connection: 'close' });
      response.end();
    });
    const text = talk(port, [head('POST /a', 'Transfer-Encoding: chunked'), chunked(long.repeat(20), 1)]);
    // What Node read with the head section, and a slice.
    expect(await seen.promise).toBeLessThan(12_000);
    expect(await text).toContain('400');
  });

  test('refuses what Node would, also with a body', async () => {
    const port = await open(isUsual, echo);
    const body = chunked(long, 1);
    const bare = 'GET /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(await talk(port, [bare, body])).toMatch(/^HTTP\/1.1 400 /);
    expect(await talk(port, [head('GET /a', 'Expect: tea', 'Transfer-Encoding: chunked'), body])).toMatch(
      /^HTTP\/1.1 417 /,
    );
    expect(await talk(port, ['GET /a HTTP/1.0\r\n\r\n'])).toContain('/a 0 ;');
    expect(
      await talk(port, [head('POST /a', 'Expect: 100-continue', 'Content-Length: 2'), 'ab'], { count: 1 }),
    ).toMatch(/^HTTP\/1.1 100 [^]*\/a 2 ab;/);
  });

  test('answers the requests of one connection in their order, however long the first takes', async () => {
    let open_ = 0;
    let most = 0;
    const port = await open(isUsual, async (request, response) => {
      open_ += 1;
      most = Math.max(most, open_);
      for (let at = 0; at < 20; at += 1) await turn();
      open_ -= 1;
      response.end(`${request.url} 0 ;`);
    });
    const all = Array.from({ length: 300 }, (_, at) => head(`GET /${at}`));
    const text = await talk(port, [all.join('')], { count: 300 });
    expect([...text.matchAll(/\r\n\/(\d+) /g)].map(([, at]) => Number(at))).toEqual([...all.keys()]);
    // One slice beyond sixteen; what Node read at first comes before it.
    expect(most).toBeLessThan(isUsual ? 301 : 160);
  });
});
