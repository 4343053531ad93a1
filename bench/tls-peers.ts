import { spawnSync } from 'node:child_process';
import { openSslLab } from '../test/lab/ssl-check/lab.ts';
import { issueCertificate, makeKey } from '../test/unit/ssl-check/issue-certificate.ts';
import type { Section } from './section.ts';
import { peerServers } from './tls-peers-servers.ts';

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19);
const versions = {
  SSLv3: 'SSLv3',
  TLSv1: 'TLSv1.0',
  'TLSv1.1': 'TLSv1.1',
  'TLSv1.2': 'TLSv1.2',
  'TLSv1.3': 'TLSv1.3',
};

/** What sslscan says of a port: versions, and suites by their numbers. */
function scan(port: number) {
  const start = performance.now();
  const { stdout } = spawnSync(
    'sslscan',
    ['--no-colour', '--show-cipher-ids', '--sni-name=lab.test', '--no-heartbleed', `127.0.0.1:${port}`],
    { encoding: 'utf8', timeout: 120_000 },
  );
  const tookMs = performance.now() - start;
  const spoken = [...stdout.matchAll(/^(SSLv3|TLSv1\.\d)\s+enabled/gm)].map(([, name = '']) => name);
  const suites = [...stdout.matchAll(/^(?:Preferred|Accepted)\s+(\S+)\s+\d+ bits\s+0x(\S+)/gm)].map(
    ([, version = '', suite = '']) => `${version} ${suite.toLowerCase()}`,
  );
  return { spoken, suites, tookMs };
}

/** Runs the check and sslscan against every real server that is installed, and counts where they disagree: `node bench/tls-peers.ts`, some ten minutes. */
export async function bench(): Promise<Section> {
  const lab = await openSslLab();
  const validity = { notBefore: inDays(-30), notAfter: inDays(60) };
  const wishes = { subject: 'lab.test', issuer: lab.intermediate, names: ['lab.test'], ...validity };
  const rsa = [issueCertificate({ ...wishes, key: makeKey('rsa2048') }), lab.intermediate];
  const identities = { rsa, ecdsa: [issueCertificate(wishes), lab.intermediate] };
  const rows: (string | number)[][] = [];
  for (const { name, open } of peerServers) {
    const server = await open(identities);
    const { report, evidence, tookMs } = await lab.check(server.port);
    const theirs = scan(server.port);
    await server.close();
    rows.push(rowOf(name, { report, connections: evidence.connections, tookMs }, theirs));
    console.log(rows.at(-1)?.join(' · '));
  }
  await lab.close();
  return {
    title: 'ssl-check beside sslscan, on real servers',
    about:
      'Every TLS server of Debian and of the languages that is installed, in Mozilla’s profiles and its defaults. “Versions” and “suites of TLS 1.2 and 1.3” count what only one of both tells.',
    columns: ['server', 'letter', 'suites', 'all found', 'versions only one tells', 'suites only ssl-check tells', 'suites only sslscan tells', 'clients not told', 'connections', 'time ÷ sslscan'],
    rows,
    limits: 'a hello tells one suite, so that servers with more suites than connections are not found out whole.',
  }; // prettier-ignore
}

type Ours = {
  readonly report: { readonly [field: string]: unknown };
  readonly connections: number;
  readonly tookMs: number;
};

function rowOf(name: string, { report, connections, tookMs }: Ours, theirs: ReturnType<typeof scan>) {
  const protocols = report['protocols'] as { readonly [version: string]: boolean | null };
  const suites = report['suites'] as readonly {
    readonly id: string;
    readonly versions: readonly string[];
  }[];
  const clients = report['clients'] as readonly {
    readonly connects: boolean | null;
    readonly suite: string | null;
  }[];
  const spoken = Object.entries(versions)
    .filter(([ours]) => protocols[ours] === true)
    .map(([, one]) => one);
  const isModern = (line: string) => line.startsWith('TLSv1.2') || line.startsWith('TLSv1.3');
  const own = suites.flatMap((one) => one.versions.map((version) => `${version} ${one.id}`)).filter(isModern);
  const other = theirs.suites.filter(isModern);
  return [
    name,
    String(report['sslLabsEquivalent']),
    suites.length,
    report['suitesComplete'] === true ? 'yes' : 'no',
    [...spoken.filter((one) => !theirs.spoken.includes(one)), ...theirs.spoken.filter((one) => !spoken.includes(one))].join(', '),
    own.filter((one) => !other.includes(one)).length,
    other.filter((one) => !own.includes(one)).length,
    clients.filter(({ connects, suite }) => connects === null || (connects && suite === null)).length,
    connections,
    (tookMs / theirs.tookMs).toFixed(2),
  ]; // prettier-ignore
}

if (import.meta.main) await bench();
