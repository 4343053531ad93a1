import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { readConfig } from '#shared/settings/config';
import type { DnsAskOptions } from '../../../worker/probes/dns/port.ts';
import { prepareProbesOf } from '../../../worker/start/probe-settings.ts';

const question = { name: 'good.test', type: 'MX' };

/** Asks a server that hears the query and answers with it as a response, changed by `change`. */
async function askEcho(options: DnsAskOptions, change: (reply: Buffer) => Buffer = (reply) => reply) {
  const heard: Buffer[] = [];
  const server = createSocket('udp4');
  server.on('message', (query, from) => {
    heard.push(query);
    const reply = Buffer.from(query);
    reply.writeUInt16BE(0x8400, 2);
    server.send(change(reply), from.port, from.address);
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const factory = prepareProbesOf(
    readConfig({ NAMESERVER_PORT: String(port), TARGET_ALLOW_CIDRS: '127.0.0.1' }),
  );
  const probes = factory.open(AbortSignal.timeout(20_000));
  try {
    const answer = await probes.dns.ask(question, { ...options, server: '127.0.0.1' });
    return { answer, query: heard[0]?.toString('latin1') ?? '' };
  } finally {
    probes.close();
    factory.close();
    server.close();
  }
}

test('a question in mixed case travels so, and the answer says that it was kept', async () => {
  const { answer, query } = await askEcho({ mixedCase: true });
  expect(query).toContain('\u0004GoOd\u0004TeSt\u0000');
  expect(answer).toMatchObject({ kind: 'answer', question, keepsCase: true });
});

test('a server that writes the question in lower case is believed, and its change is told', async () => {
  const { answer } = await askEcho({ mixedCase: true }, (reply) =>
    Buffer.from(reply.toString('latin1').replace('GoOd', 'good'), 'latin1'),
  );
  expect(answer).toMatchObject({ kind: 'answer', keepsCase: false });
});

test('a server that sends no question back shows nothing of letters', async () => {
  const { answer } = await askEcho({ mixedCase: true }, (reply) => {
    const refusal = Buffer.alloc(12);
    reply.copy(refusal, 0, 0, 2);
    refusal.writeUInt16BE(0x8005, 2);
    return refusal;
  });
  expect(answer).toMatchObject({ kind: 'answer', rcode: 'REFUSED' });
  expect(answer).not.toHaveProperty('keepsCase');
});

const opt = (version: number, option: string) =>
  `\u0000\u0000\u0029\u0004\u00d0\u0000${String.fromCharCode(version)}\u0000\u0000${option}`;
const rows: readonly { name: string; options: DnsAskOptions; sent: string }[] = [
  { name: 'version 0 without options', options: {}, sent: opt(0, '\u0000\u0000') },
  { name: 'version 1', options: { ednsVersion: 1 }, sent: opt(1, '\u0000\u0000') },
  {
    name: 'an option that nobody knows',
    options: { unknownOption: true },
    sent: opt(0, '\u0000\u0004\u00fd\u00e9\u0000\u0000'),
  },
];
test.for(rows)('EDNS with $name', async ({ options, sent }) => {
  const { query } = await askEcho(options);
  expect(query.endsWith(sent)).toBe(true);
});

test('BADVERS is read from the extended response code (RFC 6891 §6.1.3)', async () => {
  const { answer } = await askEcho({ ednsVersion: 1 }, (reply) => {
    reply.writeUInt8(1, reply.length - 6);
    reply.writeUInt8(0, reply.length - 5);
    return reply;
  });
  expect(answer).toMatchObject({ rcode: 'BADVERS', edns: { version: 0 } });
});
