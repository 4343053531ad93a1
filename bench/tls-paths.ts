import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { openSslLab } from '../test/lab/ssl-check/lab.ts';
import { openPaperServer } from '../test/lab/ssl-check/paper-server.ts';
import { readCertificate } from '../worker/certificates/certificate.ts';
import { buildChain } from '../worker/certificates/chain.ts';
import { isNamedBy } from '../worker/certificates/names.ts';

/** What `bettertls export-tests` writes: chains by a root of its own, each with what a client should make of it. */
type Export = {
  readonly trustRoot: string;
  readonly suites: { readonly [name: string]: { readonly testCases: readonly Path[] } };
};
type Path = {
  readonly id: number;
  readonly certificates: readonly string[];
  readonly hostname: string;
  readonly expected: 'ACCEPT' | 'REJECT';
  /** Either way is sound. */
  readonly failureIsWarning: boolean;
};

/** How many of each suite are sent over the wire; all are judged in process. */
const overTheWire = Number(process.env['BENCH_WIRE'] ?? 100);
const [, , file = ''] = process.argv;

/** Judges every chain of a file of bettertls's, in process and as a server shows it: `node bench/tls-paths.ts <export>`. */
async function judgePaths(): Promise<void> {
  const { trustRoot, suites } = JSON.parse(readFileSync(file, 'utf8')) as Export;
  const pem = `-----BEGIN CERTIFICATE-----\n${trustRoot.replaceAll(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE-----\n`;
  const root = readCertificate(trustRoot);
  if (root === undefined) throw new Error('the file has no root that can be read');
  const lab = await openSslLab({
    zone: { localhost: { A: ['127.0.0.1'] }, 'test.localhost': { A: ['127.0.0.1'] } },
  });
  setDefaultCACertificates([...getCACertificates('default'), pem]);
  const context = { anchors: [root], at: Date.now() };
  for (const [name, { testCases }] of Object.entries(suites)) {
    // A target is a name, never an address.
    const named = testCases.filter(({ hostname }) => !/^[\d.]+$/.test(hostname));
    const wrong = named.filter((one) => !isAsExpected(one, judgeInProcess(one, context)));
    tell(`${name}, in process`, named.length, wrong);
    const step = Math.max(1, Math.floor(named.length / overTheWire));
    const sent = named.filter((_, index) => index % step === 0).slice(0, overTheWire);
    const wrongSent: Path[] = [];
    for (const one of sent) {
      const certificates = one.certificates.map((base64) => Buffer.from(base64, 'base64'));
      const server = await openPaperServer({ versions: { 0x0303: [0xc02b] }, certificates });
      const { report } = await lab.check(server.port, one.hostname);
      await server.close();
      const { trusted } = report['trust'] as unknown as { readonly trusted: boolean | null };
      if (!isAsExpected(one, trusted)) wrongSent.push(one);
    }
    tell(`${name}, over the wire`, sent.length, wrongSent);
  }
  await lab.close();
}

function judgeInProcess(
  { certificates, hostname }: Path,
  context: Parameters<typeof buildChain>[1],
): boolean {
  const sent = certificates.flatMap((one) => readCertificate(one) ?? []);
  const { trust, leaf } = buildChain(sent, context);
  return leaf !== null && trust?.kind === 'trusted' && isNamedBy(hostname, leaf.names);
}

function isAsExpected({ expected, failureIsWarning }: Path, trusted: boolean | null): boolean {
  return failureIsWarning || trusted === (expected === 'ACCEPT');
}

function tell(what: string, all: number, wrong: readonly Path[]): void {
  const ids = wrong.slice(0, 12).map(({ id, expected }) => `${id} ${expected}`);
  console.log(
    `${what}: ${all - wrong.length} of ${all} as expected${ids.length > 0 ? `; not ${ids.join(', ')}` : ''}`,
  );
}

if (import.meta.main) await judgePaths();
