import { connect } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { suites } from '../../../worker/checks/ssl-check/grammar/suites.ts';
import { type ReadHello, readClientHello } from '../../unit/ssl-check/read-client-hello.ts';
import {
  alertRecord,
  extension,
  type WrittenFlight,
  writeServerFlight,
} from '../../unit/ssl-check/write-server-flight.ts';
import { openSslLab, runLimitMs } from './lab.ts';
import { identity, openTcpServer, openTlsServer } from './servers.ts';

// Servers whose TLS 1.3 is sound, and whose TLS 1.2 chooses what clients did not offer.
const lab = await openSslLab();
afterAll(() => lab.close());

const good = identity(lab.leaf, lab.intermediate);

/** Passes on every hello that offers TLS 1.3, and answers those of TLS 1.2 by hand. */
async function openTwofold(answer: (hello: ReadHello) => Uint8Array) {
  const back = await openTlsServer({ ...good, minVersion: 'TLSv1.3' });
  const front = await openTcpServer((socket) => {
    socket.once('data', (first) => {
      const hello = readClientHello(first);
      if (hello !== null && !hello.versions.includes(0x0304)) return void socket.end(answer(hello));
      const on = connect(back.port, '127.0.0.1');
      on.on('error', () => socket.destroy()).write(first);
      socket
        .on('error', () => on.destroy())
        .pipe(on)
        .pipe(socket);
    });
  });
  return { port: front.port, close: () => Promise.all([front.close(), back.close()]) };
}

const curves = [0xc02b, 0xc02c, 0xcca9];
const rsa = 0x009c;

/** A server of TLS 1.2 as it should be, but for what a hello brings about. */
const tls12 =
  (fault: (hello: ReadHello) => Partial<WrittenFlight>, own: readonly number[] = curves) =>
  (hello: ReadHello): Uint8Array => {
    const suite = own.find((id) => hello.suites.includes(id));
    const group = [0x001d, 0x0017].find((id) => hello.groups.includes(id));
    const isOnCurve = suite !== undefined && suites.get(suite)?.keyExchange === 'ECDHE';
    if (hello.version !== 0x0303) return alertRecord(2, 70);
    if (suite === undefined) return alertRecord(2, 40);
    return writeServerFlight({
      version: 0x0303,
      suite,
      certificates: [lab.leaf.der, lab.intermediate.der],
      ...(isOnCurve ? { group: group ?? 0x001d, scheme: 0x0403 } : {}),
      done: true,
      extensions: [extension(0xff01, 0), extension(23)],
      ...fault(hello),
    });
  };

const more = (...added: readonly ReturnType<typeof extension>[]) => ({
  extensions: [extension(0xff01, 0), extension(23), ...added],
});

test.for([
  ['X25519MLKEM768', tls12(() => ({ group: 0x11ec })), 'the group X25519MLKEM768'],
  ['a group that was not offered', tls12(() => ({ group: 0x0001 })), 'the group 0x0001'],
  ['a suite that was not offered', tls12(() => ({ suite: 0x1234 })), 'the suite 0x1234'],
  ['a suite of TLS 1.3', tls12(() => ({ suite: 0x1301 })), 'the suite TLS_AES_128_GCM_SHA256'],
  ['a scheme that was not offered', tls12(() => ({ scheme: 0x0102 })), 'the signature scheme 0x0102'],
  [
    'a protocol that was not offered',
    tls12(() => more(extension(16, 0, 7, 6, new TextEncoder().encode('spdy/3')))),
    'the protocol “spdy/3”',
  ],
  ['an extension that was not offered', tls12(() => more(extension(22))), 'the extension 22'],
  ['a compression that was not offered', tls12(() => ({ compression: 7 })), 'the compression method 7'],
] as const)('with %s TLS 1.2 does not work', async ([, answer, chosen]) => {
  const server = await openTwofold(answer);
  const { broken, report, tookMs } = await lab.check(server.port);
  await server.close();
  expect(broken).toContain('tls-answer-not-offered');
  expect(broken).not.toContain('server-hello-invalid');
  const { findings, protocols, clients } = report as unknown as {
    findings: { code: string; evidence: { version: string; chosen: string }[] }[];
    protocols: { [version: string]: boolean | null };
    clients: { name: string; connects: boolean | null; protocol: string | null; reason: string | null }[];
  };
  expect(protocols).toMatchObject({ 'TLSv1.2': false, 'TLSv1.3': true });
  const told = findings.find(({ code }) => code === 'tls-answer-not-offered');
  expect(JSON.stringify(told)).toContain(chosen);
  expect(clients.find(({ name }) => name === 'Java 8u161')).toMatchObject({
    connects: false,
    protocol: 'TLSv1.2',
    reason: expect.stringMatching(/^the server chooses .* that the client did not offer$/),
  });
  expect(clients.find(({ name }) => name.startsWith('Chrome'))).toMatchObject({ connects: true });
  expect(tookMs).toBeLessThan(runLimitMs);
});

test('where suites without a curve work, TLS 1.2 does, and clients fail that prefer a curve', async () => {
  const server = await openTwofold(
    tls12(
      ({ suites: offered }) => (curves.some((id) => offered.includes(id)) ? { group: 0x11ec } : {}),
      [...curves, rsa],
    ),
  );
  const { broken, report } = await lab.check(server.port);
  await server.close();
  expect(broken).toContain('tls-answer-not-offered');
  expect(report).toMatchObject({ protocols: { 'TLSv1.2': true, 'TLSv1.3': true } });
  const { clients } = report as unknown as { clients: { name: string; connects: boolean | null }[] };
  expect(clients.find(({ name }) => name === 'Java 8u161')?.connects).not.toBe(true);
});

test('a server that names one curve whatever is left out keeps its suites', async () => {
  const server = await openTwofold(tls12(() => ({ group: 0x0017 })));
  const { broken, evidence, report } = await lab.check(server.port);
  await server.close();
  expect(report).toMatchObject({ protocols: { 'TLSv1.2': true } });
  const accepted = evidence.questions.flatMap((one) => (one.version === 'TLSv1.2' ? one.accepted : []));
  const usable = accepted.filter(({ notOffered }) => notOffered === undefined).map(({ suite }) => suite);
  expect(new Set(usable)).toEqual(new Set(curves));
  expect(broken.filter((code) => code.endsWith('cannot-connect'))).toEqual([]);
  // Every client offers that curve.
  expect(broken).not.toContain('tls-answer-not-offered');
});

test('the same server without a fault is told nothing', async () => {
  const server = await openTwofold(tls12(() => ({})));
  const { broken, evidence } = await lab.check(server.port);
  await server.close();
  expect(evidence.notOffered).toEqual([]);
  expect(broken).not.toContain('tls-answer-not-offered');
});
