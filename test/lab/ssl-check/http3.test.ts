import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, expect, test } from 'vitest';
import { answerVersions } from '../../unit/ssl-check/answer-versions.ts';
import { openSslLab } from './lab.ts';
import { identity, openTlsServer } from './servers.ts';

// A site that offers HTTP/3, and what its UDP port makes of the question for versions.
const lab = await openSslLab({ limits: { firstTimeoutMs: 2500 } });
afterAll(() => lab.close());

type Answer = (datagram: Buffer) => readonly (Buffer | Uint8Array)[];

/** A TLS server whose page offers HTTP/3 at a UDP port; what arrives there is counted. */
async function openSite(answer: Answer | 'closed') {
  const arrived: number[] = [];
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.on('message', (datagram, from) => {
    arrived.push(datagram.length);
    if (answer !== 'closed') reply(socket, answer(datagram), from);
  });
  if (answer === 'closed') socket.close();
  const server = await openTlsServer({
    ...identity(lab.leaf, lab.intermediate),
    ALPNProtocols: ['http/1.1'],
    response: [
      'HTTP/1.1 200 OK',
      'Strict-Transport-Security: max-age=31536000',
      `Alt-Svc: h3=":${port}"; ma=86400`,
      'Content-Length: 0',
      'Connection: close',
      '',
      '',
    ].join('\r\n'),
  });
  const close = async () => {
    if (answer !== 'closed') socket.close();
    await server.close();
  };
  return { port: server.port, udpPort: port, arrived, close };
}

function reply(socket: Socket, datagrams: readonly (Buffer | Uint8Array)[], from: RemoteInfo): void {
  for (const datagram of datagrams) socket.send(datagram, from.port, from.address);
}

const cases: readonly (readonly [name: string, Answer | 'closed', state: string, datagrams: number])[] = [
  // First, so that later silence is known to be the server's own.
  ['answers with its versions', (asked) => [answerVersions(asked, [1, 0xff00001d])], 'answers', 1],
  ['speaks drafts alone', (asked) => [answerVersions(asked, [0xff00001d])], 'no-answer', 1],
  ['is silent', () => [], 'no-answer', 2],
  ['answers with garbage', () => [Buffer.from('hello')], 'no-answer', 1],
  ['mirrors the question', (asked) => [asked], 'no-answer', 1],
  [
    'sends fifty large datagrams for one',
    () => Array.from({ length: 50 }, () => Buffer.alloc(60_000, 1)),
    'no-answer',
    1,
  ],
  ['is closed', 'closed', 'no-answer', 0],
];

test.for(cases)('the UDP port %s', async ([, answer, state, datagrams]) => {
  const site = await openSite(answer);
  const { report, broken } = await lab.check(site.port);
  await site.close();
  expect(report).toMatchObject({
    http3Advertised: true,
    http3: { state, source: 'Alt-Svc', port: site.udpPort },
  });
  expect(broken.includes('http3-unanswered')).toBe(state === 'no-answer');
  expect(site.arrived).toEqual(Array<number>(datagrams).fill(1200));
});

/** A TLS server, and a socket at the UDP port of the same number; where that is taken, at another. */
async function openBoth() {
  for (;;) {
    const server = await openTlsServer(identity(lab.leaf, lab.intermediate));
    const socket = createSocket('udp4').bind(server.port, '127.0.0.1');
    const isBound = await once(socket, 'listening').then(
      () => true,
      () => false,
    );
    if (isBound) return { server, socket };
    socket.close();
    await server.close();
  }
}

test('where nothing is offered nothing is sent', async () => {
  const { server, socket } = await openBoth();
  let arrived = 0;
  socket.on('message', () => void (arrived += 1));
  const { report } = await lab.check(server.port);
  expect(report).toMatchObject({ http3Advertised: false, http3: { state: 'not-offered' } });
  expect(arrived).toBe(0);
  socket.close();
  await server.close();
});
