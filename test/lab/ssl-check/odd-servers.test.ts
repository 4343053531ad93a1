import type { Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { writePem } from '../../unit/ssl-check/issue-certificate.ts';
import { readClientHello } from '../../unit/ssl-check/read-client-hello.ts';
import { speaks } from '../../unit/ssl-check/speaks.ts';
import { extension, writeServerFlight } from '../../unit/ssl-check/write-server-flight.ts';
import { makeCostlyChain } from '../hostile/costly-keys.ts';
import { openSslLab, runLimitMs } from './lab.ts';
import { identity, type LabServer, openTcpServer, openTlsServer, type TlsServerOptions } from './servers.ts';

// Servers that answer in TLS, and that browsers cannot use.
const lab = await openSslLab({ limits: { firstTimeoutMs: 2500 } });
afterAll(() => lab.close());

const good = identity(lab.leaf, lab.intermediate);
const node = (options: TlsServerOptions) => () =>
  openTlsServer({ ...good, minVersion: 'TLSv1.3', ...options });
/** Answers every ClientHello of a connection in the same way. */
const says = (answer: (bytes: Uint8Array) => Uint8Array) => () =>
  openTcpServer((socket: Socket) => void socket.on('data', (bytes) => socket.write(answer(bytes))));
const retries = speaks([], [0x1302, 0x1303, 0x1301], [0x001d, 0x0017]);

const anyReason = /^/;
const noGroup = /no key exchange group in common/;
type Case = readonly [
  name: string,
  open: () => Promise<LabServer>,
  letter: string,
  broken: readonly string[],
  chrome: RegExp,
];
const cases: readonly Case[] = [
  [
    'X448 alone',
    node({ ecdhCurve: 'X448' }),
    'A+',
    ['browsers-cannot-connect', 'group-post-quantum-missing'],
    noGroup,
  ],
  [
    'ffdhe3072 alone',
    node({ ecdhCurve: 'ffdhe3072' }),
    // Firefox still has it.
    'A+',
    ['group-post-quantum-missing', 'chrome-cannot-connect', 'safari-cannot-connect'],
    noGroup,
  ],
  [
    'SecP256r1MLKEM768 alone',
    node({ ecdhCurve: 'SecP256r1MLKEM768' }),
    'A',
    ['browsers-cannot-connect'],
    noGroup,
  ],
  [
    'P-521 alone',
    node({ ecdhCurve: 'P-521' }),
    'A+',
    ['group-post-quantum-missing', 'chrome-cannot-connect'],
    noGroup,
  ],
  [
    'CCM alone',
    node({ ciphers: 'TLS_AES_128_CCM_SHA256' }),
    'A',
    ['browsers-cannot-connect'],
    /no cipher suite in common/,
  ],
  [
    'a HelloRetryRequest without end',
    says((bytes) => {
      const reply = retries(readClientHello(bytes));
      return typeof reply === 'string' ? new Uint8Array(0) : reply;
    }),
    'F',
    ['handshake-not-completed', 'group-post-quantum-missing'],
    anyReason,
  ],
  [
    'a version that does not exist',
    says(() =>
      writeServerFlight({ version: 0x0303, suite: 0x1301, extensions: [extension(43, 0x7f, 0x1c)] }),
    ),
    'F',
    ['server-hello-invalid'],
    anyReason,
  ],
];

test.for(cases)('%s is told as browsers see it', async ([, open, letter, broken, chrome]) => {
  const server = await open();
  const seen = await lab.check(server.port);
  await server.close();
  const { clients = [], sslLabsEquivalent } = seen.report as unknown as {
    clients?: { name: string; reason: string | null }[];
    sslLabsEquivalent: string | null;
  };
  expect(seen.broken.filter((code) => code !== 'caa-missing').sort()).toEqual([...broken].sort());
  expect(sslLabsEquivalent).toBe(letter);
  const reason = clients.find(({ name }) => name.startsWith('Chrome'))?.reason ?? '';
  expect(reason).toMatch(chrome);
  expect(seen.tookMs).toBeLessThan(runLimitMs);
});

test('a chain whose signatures take too long to check is no fault that anybody has seen', async () => {
  const slow = makeCostlyChain(60, 3072, 3072).map(writePem).join('');
  const server = await openTlsServer({ ...good, cert: good.cert + slow });
  const { report } = await lab.check(server.port);
  await server.close();
  expect(report).toMatchObject({ state: 'complete', score: null, grade: null });
  expect(report.notTested).toContainEqual({
    code: 'handshake-not-completed',
    reason: 'checking the signatures of its certificates takes longer than we allow',
  });
});
