import { openSslLab, type Seen } from '../test/lab/ssl-check/lab.ts';
import { issueCertificate, makeKey } from '../test/unit/ssl-check/issue-certificate.ts';
import type { Section } from './section.ts';
import { peerServers } from './tls-peers-servers.ts';
import { type Scan, scan, testssl, type PeerAnswers } from './tls-peers-tools.ts';

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19);

/** Servers whose name begins so: a part takes a minute, all take ten. */
const only = process.env['BENCH_ONLY'] ?? '';
/** "none", "sslscan", or "sslscan,testssl"; testssl.sh takes half a minute for each server. */
const peers = (process.env['BENCH_PEERS'] ?? 'sslscan').split(',');

/** A server, what the check found, and what the others say. */
type ComparedServer = {
  readonly name: string;
  readonly ours: Seen;
  readonly cpuMs: number;
  readonly scan: Scan | null;
  readonly others: { readonly [peer: string]: PeerAnswers };
};

/** Runs the check beside sslscan, and testssl.sh if that is wanted, against every real server that is installed, and tells where they disagree. */
export async function bench(): Promise<Section> {
  const lab = await openSslLab();
  const validity = { notBefore: inDays(-30), notAfter: inDays(60) };
  const wishes = { subject: 'lab.test', issuer: lab.intermediate, names: ['lab.test'], ...validity };
  const rsa = [issueCertificate({ ...wishes, key: makeKey('rsa2048') }), lab.intermediate];
  const identities = { rsa, ecdsa: [issueCertificate(wishes), lab.intermediate] };
  const rows: (string | number)[][] = [];
  for (const { name, open } of peerServers.filter((one) => one.name.startsWith(only))) {
    const server = await open(identities);
    const before = process.threadCpuUsage();
    const ours = await lab.check(server.port);
    const { user, system } = process.threadCpuUsage(before);
    const scanned = peers.includes('sslscan') ? await scan(server.port) : null;
    const tested = peers.includes('testssl') ? await testssl(server.port, lab.root.certPem) : null;
    await server.close();
    const others = {
      ...(scanned && { sslscan: scanned.told }),
      ...(tested && { testssl: tested }),
    };
    const compared = { name, ours, cpuMs: (user + system) / 1000, scan: scanned, others };
    rows.push(rowOf(compared));
    console.log([...(rows.at(-1) ?? []), ...disagreementsOf(compared)].join(' · '));
  }
  await lab.close();
  return {
    title: 'ssl-check beside sslscan, on real servers',
    about:
      'Every TLS server of Debian and of the languages that is installed, in Mozilla’s profiles and its defaults. “Suites of TLS 1.2 and 1.3” count what only one of both tells.',
    columns: ['server', 'letter', 'suites', 'all found', 'suites only ssl-check tells', 'suites only sslscan tells', 'clients not told', 'connections', 'CPU ms', 'time ÷ sslscan'],
    rows,
    limits: 'a hello tells one suite, so that servers with more suites than connections are not found out whole.',
  }; // prettier-ignore
}

type SslFields = {
  readonly protocols: { readonly [version: string]: boolean | null };
  readonly suites: readonly {
    readonly id: string;
    readonly name: string;
    readonly versions: readonly string[];
    readonly forwardSecrecy: boolean;
  }[];
  readonly suitesComplete: boolean;
  readonly clients: readonly { readonly connects: boolean | null; readonly suite: string | null }[];
  readonly trust: { readonly trusted: boolean | null };
};

function rowOf({ name, ours, cpuMs, scan: scanned }: ComparedServer) {
  const { report, evidence, tookMs } = ours;
  const { suites, suitesComplete, clients } = report as unknown as SslFields;
  const isModern = (line: string) => line.startsWith('TLSv1.2') || line.startsWith('TLSv1.3');
  const own = suites.flatMap((one) => one.versions.map((version) => `${version} ${one.id}`)).filter(isModern);
  const other = scanned?.suites.filter(isModern);
  return [
    name,
    String(report['sslLabsEquivalent']),
    own.length,
    suitesComplete ? 'yes' : 'no',
    other === undefined ? '' : own.filter((one) => !other.includes(one)).length,
    other === undefined ? '' : other.filter((one) => !own.includes(one)).length,
    clients.filter(({ connects, suite }) => connects === null || (connects && suite === null)).length,
    evidence.connections,
    Math.round(cpuMs),
    scanned === null ? '' : (tookMs / scanned.tookMs).toFixed(2),
  ];
}

const versionNames = {
  SSLv3: 'SSLv3',
  TLSv1: 'TLSv1.0',
  'TLSv1.1': 'TLSv1.1',
  'TLSv1.2': 'TLSv1.2',
  'TLSv1.3': 'TLSv1.3',
};

/** What our report says, in the same words. */
function toldBy({ report, allBroken }: Seen): PeerAnswers {
  const { protocols, suites, trust } = report as unknown as SslFields;
  const untested = report.notTested.map(({ code }) => code);
  const broken = (code: string) => (untested.includes(code) ? undefined : allBroken.includes(code));
  const mismatched = broken('certificate-name-mismatch');
  return {
    ...Object.fromEntries(
      Object.entries(versionNames).map(([own, name]) => [name, protocols[own] ?? undefined]),
    ),
    'NULL suites': broken('suite-null-offered'),
    'anonymous suites': broken('suite-anonymous-offered'),
    'export suites': broken('suite-export-offered'),
    'RC4 suites': broken('suite-rc4-offered'),
    '3DES suites': broken('suite-3des-offered'),
    'forward secrecy': suites.some(({ forwardSecrecy }) => forwardSecrecy),
    'trusted path': trust.trusted ?? undefined,
    'right name': mismatched === undefined ? undefined : !mismatched,
  };
}

/** Each verdict that a peer gives otherwise. */
function disagreementsOf({ ours, others }: ComparedServer): readonly string[] {
  const own = toldBy(ours);
  return Object.entries(others).flatMap(([peer, told]) =>
    Object.entries(told).flatMap(([what, theirs]) =>
      theirs === undefined || own[what] === theirs
        ? []
        : [`${what}: ${wordOf(own[what])} here, ${wordOf(theirs)} by ${peer}`],
    ),
  );
}

function wordOf(told: boolean | undefined): string {
  if (told === undefined) return 'not told';
  return told ? 'yes' : 'no';
}

if (import.meta.main) await bench();
