import type { Socket } from 'node:net';
import { brotliCompressSync, deflateSync, zstdCompressSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { joinBytes, numberBytes, vectorBytes } from '../../../worker/certificates/grammar/byte-cursor.ts';
import { assessSsl } from '../../../worker/checks/ssl-check/assess.ts';
import { issueCertificate } from '../../unit/ssl-check/issue-certificate.ts';
import { readClientHello } from '../../unit/ssl-check/read-client-hello.ts';
import { answerSealed } from '../../unit/ssl-check/sealed-server.ts';
import { alertRecord } from '../../unit/ssl-check/write-server-flight.ts';
import { logs, timestamps } from '../../unit/ssl-check/write-timestamps.ts';
import { inDays, openSslLab, runLimitMs } from '../ssl-check/lab.ts';
import { identity, openTcpServer, openTlsServer } from '../ssl-check/servers.ts';

// Certificates that are as large as a client reads, and those that would be larger once they are unpacked.

const lab = await openSslLab({ limits: { firstTimeoutMs: 2500 } });
afterAll(() => lab.close());

const issue = (names: readonly string[], signers: number) =>
  issueCertificate({
    subject: 'lab.test',
    issuer: lab.intermediate,
    names,
    notBefore: inDays(-30),
    notAfter: inDays(60),
    extensions: [timestamps(...Array.from({ length: signers }, (_, at) => (at === 0 ? logs.first : at)))],
  });
const manyNames = (count: number) => [
  'lab.test',
  ...Array.from({ length: count }, (_, at) => `host-${String(at).padStart(5, '0')}.lab.test`),
];

const check = async (leaf: ReturnType<typeof issue>) => {
  const server = await openTlsServer(identity(leaf, lab.intermediate));
  const seen = await lab.check(server.port);
  await server.close();
  return seen;
};

/** CPU of this thread for judging it, the least of some. */
function judgeMs(evidence: Parameters<typeof assessSsl>[0]): number {
  const times = Array.from({ length: 5 }, () => {
    const start = process.threadCpuUsage();
    assessSsl(evidence);
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

const crowds = [
  { name: '3,400 names', make: (part: number) => issue(manyNames(3400 * part), 2) },
  { name: '450 timestamps', make: (part: number) => issue(['lab.test'], 450 * part) },
];

test.for(crowds)(
  'a certificate with $name is judged, at a cost that grows with its size',
  async ({ make }) => {
    const quarter = await check(make(1 / 4));
    const { report, evidence, tookMs } = await check(make(1));
    expect(report.state).toBe('complete');
    expect(report.score).not.toBeNull();
    expect(tookMs).toBeLessThan(runLimitMs);
    const [small, large] = [judgeMs(quarter.evidence), judgeMs(evidence)];
    // Four times as much: worse than linear would be 16 times. A judgement has some cost of its own.
    expect(large).toBeLessThan(9 * Math.max(small, 1));
    expect(JSON.stringify(evidence).length).toBeLessThan(1_500_000);
  },
);

test('a certificate that is larger than clients read ends the handshake, and the run with it', async () => {
  const { report, tookMs } = await check(issue(manyNames(9000), 2));
  expect(tookMs).toBeLessThan(runLimitMs);
  const told = [...report.findings, ...report.notTested];
  expect(told.map(({ code }) => code)).toContain('certificate-expired');
});

const whole = (bytes: number) => numberBytes(bytes, 3);
const zeros = Buffer.alloc(16_000_000);
/** Algorithm (RFC 8879 §7.3), the length that it says it has, and bytes that become 16 MB. */
const bombs: readonly (readonly [name: string, body: Uint8Array])[] = [
  ['zlib, and says so', joinBytes(0, 1, whole(16_000_000), vectorBytes(3, deflateSync(zeros)))],
  ['zlib, and says less', joinBytes(0, 1, whole(50_000), vectorBytes(3, deflateSync(zeros)))],
  ['Brotli, and says less', joinBytes(0, 2, whole(102_400), vectorBytes(3, brotliCompressSync(zeros)))],
  ['zstd, and says less', joinBytes(0, 3, whole(102_400), vectorBytes(3, zstdCompressSync(zeros)))],
];

test.for(bombs)('certificates that become 16 MB by %s are not unpacked', async ([, body]) => {
  const messages = [
    [8, Uint8Array.of(0, 0)],
    [25, body],
  ] as const;
  const server = await openTcpServer((socket: Socket) => {
    socket.once('data', (hello: Buffer) => {
      const isAsked = readClientHello(hello)?.extensions.includes(27) === true;
      const answer = { suite: 0x1301, group: 0x001d, messages } as const;
      socket.end(isAsked ? answerSealed(hello, answer) : alertRecord(2, 40));
    });
  });
  const before = process.memoryUsage.rss();
  const { report, tookMs } = await lab.check(server.port);
  await server.close();
  expect(report).toMatchObject({ certificateCompression: null });
  expect(tookMs).toBeLessThan(runLimitMs);
  expect(process.memoryUsage.rss() - before).toBeLessThan(64_000_000);
});
