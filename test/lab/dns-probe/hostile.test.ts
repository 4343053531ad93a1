import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { decode, encode, type Packet } from 'dns-packet';
import { afterEach, expect, test } from 'vitest';
import { readConfig } from '#shared/settings/config';
import { prepareProbesOf } from '../../../worker/start/probe-settings.ts';

type Reply = (query: Packet, send: (bytes: Buffer) => void, from: RemoteInfo) => void;

let close: (() => void)[] = [];
afterEach(() => {
  for (const step of close) step();
  close = [];
});

/** A resolver that answers as told, over UDP and TCP on one port. */
async function openResolver(
  udpReply: Reply,
  tcpReply?: (query: Packet) => Buffer | undefined,
): Promise<string> {
  const tcp: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      const answer = tcpReply?.(decode(bytes.subarray(2)));
      if (!answer) return void (tcpReply ? socket.destroy() : undefined);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(answer.length);
      socket.end(Buffer.concat([length, answer]));
    });
  });
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  const { port } = tcp.address() as AddressInfo;
  const udp: Socket = createSocket('udp4');
  udp.on('message', (bytes: Buffer, from) =>
    udpReply(decode(bytes), (reply) => udp.send(reply, from.port, from.address), from),
  );
  await new Promise<void>((resolve) => udp.bind(port, '127.0.0.1', resolve));
  close.push(
    () => udp.close(),
    () => tcp.close(),
  );
  return `127.0.0.1:${port}`;
}

const answerOf = (query: Packet, data: string, more: object = {}): Buffer =>
  encode({
    type: 'response',
    id: query.id ?? 0,
    flags: 0x8180,
    questions: query.questions ?? [],
    answers: [{ type: 'A', name: query.questions?.[0]?.name ?? '', ttl: 60, data }],
    ...more,
  });

async function ask(server: string) {
  const factory = prepareProbesOf(readConfig({ DNS_SERVERS: server, TARGET_ALLOW_CIDRS: '127.0.0.1' }));
  const probes = factory.open(AbortSignal.timeout(20_000));
  const start = performance.now();
  try {
    return { answer: await probes.dns.ask({ name: 'a.test', type: 'A' }), ms: performance.now() - start };
  } finally {
    probes.close();
    factory.close();
  }
}

test('an answer with another id, to another question, or a mere query is somebody’s guess: the true one is waited for', async () => {
  const server = await openResolver((query, send) => {
    send(answerOf({ ...query, id: ((query.id ?? 0) + 1) & 0xffff }, '192.0.2.66'));
    send(answerOf({ ...query, questions: [{ type: 'A', name: 'b.test' }] }, '192.0.2.66'));
    send(encode({ ...query, type: 'query' }));
    setTimeout(() => send(answerOf(query, '192.0.2.1')), 50);
  });
  expect((await ask(server)).answer).toMatchObject({ kind: 'answer', answers: [{ data: '192.0.2.1' }] });
});

test('an answer from another address is never seen: the socket is connected to its server', async () => {
  const liar = createSocket('udp4');
  await new Promise<void>((resolve) => liar.bind(0, '127.0.0.1', resolve));
  close.push(() => liar.close());
  const server = await openResolver((query, send, from) => {
    liar.send(answerOf(query, '192.0.2.66'), from.port, from.address);
    setTimeout(() => send(answerOf(query, '192.0.2.1')), 50);
  });
  expect((await ask(server)).answer).toMatchObject({ kind: 'answer', answers: [{ data: '192.0.2.1' }] });
});

test('a truncated answer is asked again over TCP', async () => {
  const server = await openResolver(
    (query, send) =>
      send(encode({ type: 'response', id: query.id ?? 0, flags: 0x8380, questions: query.questions ?? [] })),
    (query) => answerOf(query, '192.0.2.7'),
  );
  expect((await ask(server)).answer).toMatchObject({
    kind: 'answer',
    transport: 'tcp',
    answers: [{ data: '192.0.2.7' }],
  });
});

test('a truncated answer whose TCP breaks off is told as such', async () => {
  const server = await openResolver(
    (query, send) =>
      send(encode({ type: 'response', id: query.id ?? 0, flags: 0x8380, questions: query.questions ?? [] })),
    () => undefined,
  );
  expect((await ask(server)).answer).toMatchObject({ kind: 'failure', code: 'tcp-failed' });
});

test('REFUSED and SERVFAIL are answers, with their extended errors', async () => {
  const server = await openResolver((query, send) => {
    const options = [{ code: 15, data: Buffer.from('00066e6f2072727369672e', 'hex') }];
    send(
      encode({
        type: 'response',
        id: query.id ?? 0,
        flags: 0x8182,
        questions: query.questions ?? [],
        additionals: [
          {
            type: 'OPT',
            name: '.',
            udpPayloadSize: 1232,
            flags: 0,
            extendedRcode: 0,
            ednsVersion: 0,
            options,
          } as never,
        ],
      }),
    );
  });
  expect((await ask(server)).answer).toMatchObject({
    kind: 'answer',
    rcode: 'SERVFAIL',
    ede: [{ code: 6, text: 'no rrsig.' }],
  });
});

test('garbage is no answer: the wait goes on to its end, within the limit', async () => {
  const server = await openResolver((_query, send) => {
    for (const hex of ['00', 'ff'.repeat(40), '0000818000010000', 'c00c'.repeat(20)])
      send(Buffer.from(hex, 'hex'));
  });
  const { answer, ms } = await ask(server);
  expect(answer).toMatchObject({ kind: 'failure', code: 'timeout' });
  expect(ms).toBeLessThan(6000);
}, 10_000);

test('the header of an answer with a body that cannot be read is malformed, not an answer', async () => {
  const server = await openResolver((query, send) => {
    const bytes = answerOf(query, '192.0.2.1');
    bytes.writeUInt16BE(500, 6);
    send(bytes);
  });
  expect((await ask(server)).answer).toMatchObject({ kind: 'failure', code: 'malformed-answer' });
});

test('an old forwarder that refuses EDNS is asked again without it', async () => {
  let asked = 0;
  const server = await openResolver((query, send) => {
    asked += 1;
    const hasEdns = (query.additionals?.length ?? 0) > 0;
    send(
      hasEdns
        ? encode({ type: 'response', id: query.id ?? 0, flags: 0x8181, questions: query.questions ?? [] })
        : answerOf(query, '192.0.2.3'),
    );
  });
  expect((await ask(server)).answer).toMatchObject({
    kind: 'answer',
    edns: null,
    answers: [{ data: '192.0.2.3' }],
  });
  expect(asked).toBe(2);
});

test('nobody listens: refused within its tries', async () => {
  expect((await ask('127.0.0.1:1')).answer).toMatchObject({ kind: 'failure', code: 'connection-refused' });
});
