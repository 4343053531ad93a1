import { connect, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import type { SslCode } from '#shared/catalogue/ssl-check/rules';
import { brokenChain, hostileServers } from './hostile.ts';
import { openSslLab, runLimitMs } from './lab.ts';
import { identity, type LabServer, openNothing, openTcpServer, openTlsServer } from './servers.ts';

// Waiting is half of the real one, so that silence does not make the suite long.
const lab = await openSslLab({
  zone: { 'inside.test': { A: ['10.0.0.1'] } },
  limits: { firstTimeoutMs: 2500 },
});
afterAll(() => lab.close());

const cases: readonly (readonly [name: string, open: () => Promise<LabServer>, code: SslCode])[] = [
  ['a closed port', openNothing, 'connection-refused'],
  ...hostileServers.map(([name, serve, code]) => [name, () => openTcpServer(serve), code] as const),
];

test.for(cases)('%s is named, and ends in time', async ([, open, code]) => {
  const server = await open();
  const { broken, report, tookMs } = await lab.check(server.port);
  await server.close();
  expect(broken).toContain(code);
  expect(broken.filter((one) => one !== 'caa-missing')).toEqual([code]);
  const isAnswered = code.startsWith('port-') || code === 'server-hello-invalid';
  expect(report.score).toBe(isAnswered ? 20 : null);
  expect(tookMs).toBeLessThan(runLimitMs);
});

test('an answer without certificates is judged as far as it goes', async () => {
  const server = await openTcpServer((socket) => void socket.once('data', () => socket.end(brokenChain)));
  const { report, broken } = await lab.check(server.port);
  await server.close();
  // F, less a point for the master secret, and six for a suite that it chooses whatever is offered.
  expect(report.score).toBe(13);
  expect(broken).toContain('handshake-not-completed');
  expect(broken).toContain('tls-answer-not-offered');
  expect(report.notTested.map(({ code }) => code)).toContain('certificate-expired');
});

test('a name that does not exist, and one that leads inside, make no connection', async () => {
  expect((await lab.check(443, 'nobody.test')).broken).toContain('name-not-found');
  const seen = await lab.check(443, 'inside.test');
  expect(seen.broken).toContain('target-address-not-allowed');
  expect(JSON.stringify(seen.report)).not.toContain('10.0.0.1');
});

/** Passes on to a good server what comes in one piece of at most so many bytes, and deals with the rest in its own way. */
async function openNarrow(limitBytes: number, refuse: (socket: Socket) => void) {
  const good = await openTlsServer(identity(lab.leaf, lab.intermediate));
  const front = await openTcpServer((socket) => {
    socket.once('data', (first) => {
      if (first.length > limitBytes) return refuse(socket);
      const back = connect(good.port, '127.0.0.1');
      back.on('error', () => socket.destroy()).write(first);
      socket.pipe(back).pipe(socket);
    });
  });
  return { port: front.port, close: () => Promise.all([front.close(), good.close()]) };
}

const refusals: readonly (readonly [string, (socket: Socket) => void])[] = [
  ['drops', () => undefined],
  ['resets', (socket) => void socket.resetAndDestroy()],
  ['closes', (socket) => void socket.end()],
];
test.for(refusals)('a middlebox that %s long greetings is found out', async ([, refuse]) => {
  const server = await openNarrow(1000, refuse);
  const { broken, report } = await lab.check(server.port);
  await server.close();
  expect(broken).toContain('client-hello-size-intolerance');
  expect(report).toMatchObject({ trust: { trusted: true } });
});

test('a server that falls silent is judged by what it said', async () => {
  const good = await openTlsServer(identity(lab.leaf, lab.intermediate));
  let served = 0;
  const front = await openTcpServer((socket) => {
    served += 1;
    if (served > 4) return;
    const back = connect(good.port, '127.0.0.1');
    back.on('error', () => socket.destroy());
    socket.pipe(back).pipe(socket);
  });
  const { report, tookMs } = await lab.check(front.port);
  await Promise.all([front.close(), good.close()]);
  expect(report.state).toBe('partial');
  expect(report.notTested.length).toBeGreaterThan(5);
  expect(report).toMatchObject({ trust: { trusted: true } });
  expect(tookMs).toBeLessThan(runLimitMs);
});
