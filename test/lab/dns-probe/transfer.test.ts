import { type AddressInfo, createServer, type Socket } from 'node:net';
import { decode, encode } from 'dns-packet';
import { expect, test } from 'vitest';
import { readConfig } from '#shared/settings/config';
import { prepareProbesOf } from '../../../worker/start/probe-settings.ts';

const soa = {
  type: 'SOA' as const,
  name: 'a.test',
  ttl: 60,
  data: { mname: 'ns.a.test', rname: 'h.a.test', serial: 1, refresh: 2, retry: 3, expire: 4, minimum: 5 },
};
const address = { type: 'A' as const, name: 'x.a.test', ttl: 60, data: '192.0.2.1' };

const framed = (bytes: Buffer) =>
  Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
const reply =
  (rcode: number, answers: readonly (typeof soa | typeof address)[]) => (socket: Socket, id: number) =>
    void socket.write(
      framed(
        encode({
          type: 'response',
          id,
          flags: 0x8400 | rcode,
          questions: [{ type: 'AXFR', name: 'a.test' }],
          answers: [...answers],
        }),
      ),
    );

const servers: readonly { name: string; act: (socket: Socket, id: number) => void; expected: object }[] = [
  { name: 'gives the zone', act: reply(0, [soa, address, address]), expected: { kind: 'open', records: 3 } },
  { name: 'refuses', act: reply(5, []), expected: { kind: 'refused', rcode: 'REFUSED' } },
  { name: 'answers with nothing', act: reply(0, []), expected: { kind: 'refused', rcode: 'NOERROR' } },
  { name: 'closes', act: (socket) => void socket.end(), expected: { kind: 'refused', rcode: 'closed' } },
  {
    name: 'sends what is no DNS',
    act: (socket) => void socket.write(framed(Buffer.from('hello'))),
    expected: { kind: 'failure', code: 'malformed-answer' },
  },
];

test.for(servers)('a server that $name is asked once, and hung up on', async ({ act, expected }) => {
  const asked: string[] = [];
  const closed = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('close', () => closed.resolve());
    socket.once('data', (bytes) => {
      const { id = 0, questions = [] } = decode(bytes.subarray(2));
      asked.push(...questions.map(({ name, type }) => `${name} ${type}`));
      act(socket, id);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const factory = prepareProbesOf(
    readConfig({
      NAMESERVER_PORT: String((server.address() as AddressInfo).port),
      TARGET_ALLOW_CIDRS: '127.0.0.1',
      PROBE_AXFR: 'on',
    }),
  );
  const probes = factory.open(AbortSignal.timeout(20_000));
  expect(await probes.dns.transfer?.('a.test', '127.0.0.1')).toMatchObject(expected);
  await closed.promise;
  expect(asked).toEqual(['a.test AXFR']);
  probes.close();
  factory.close();
  server.close();
});
