import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** What a tool prints, however it ends. Servers of this process answer meanwhile. */
async function print(program: string, argv: readonly string[], timeout: number): Promise<string> {
  const ended = await run(program, argv, { timeout, maxBuffer: 1 << 24 }).catch((error: unknown) => error);
  return (ended as { readonly stdout?: string }).stdout ?? '';
}

/** What a tool says of a server: true where something is offered or holds, left out where the tool does not say. */
export type PeerAnswers = { readonly [what: string]: boolean | undefined };

/** What sslscan says of a port: versions, and suites of each. */
export type Scan = {
  readonly told: PeerAnswers;
  readonly suites: readonly string[];
  readonly tookMs: number;
};

const versions = ['SSLv3', 'TLSv1.0', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;

/** Runs sslscan. */
export async function scan(port: number): Promise<Scan> {
  const start = performance.now();
  const stdout = await print(
    'sslscan',
    ['--no-colour', '--show-cipher-ids', '--sni-name=lab.test', '--no-heartbleed', `127.0.0.1:${port}`],
    120_000,
  );
  const tookMs = performance.now() - start;
  const listed = [...stdout.matchAll(/^(?:Preferred|Accepted)\s+(\S+)\s+(\d+) bits\s+0x(\S+)\s+(\S+)/gm)];
  const suites = listed.map(([, version = '', , id = '']) => `${version} ${id.toLowerCase()}`);
  const names = listed.map(([, , , , name = '']) => name);
  const isAny = (pattern: RegExp) => names.some((name) => pattern.test(name));
  const spoken = versions.map((version) => [
    version,
    new RegExp(`^${version.replace('.', '\\.')}\\s+enabled`, 'm').test(stdout),
  ]);
  const told: PeerAnswers = {
    ...(Object.fromEntries(spoken) as PeerAnswers),
    'NULL suites': isAny(/NULL/),
    'anonymous suites': isAny(/^(?:ADH|AECDH)|_anon_/),
    'export suites': isAny(/EXP/),
    'RC4 suites': isAny(/RC4/),
    '3DES suites': isAny(/DES-CBC3|3DES/),
    'forward secrecy': isAny(/^(?:ECDHE|DHE|TLS_(?:AES|CHACHA|ECDHE|DHE))/),
  };
  return { told, suites, tookMs };
}

/** Runs testssl.sh: versions, classes of suites, and the certificate by a root that it is given, unless BENCH_TESTSSL says otherwise. Half a minute on a quiet machine. */
export async function testssl(port: number, rootPem: string): Promise<PeerAnswers> {
  const folder = mkdtempSync(join(tmpdir(), 'tls-peers-'));
  const [file, root] = [join(folder, 'out.json'), join(folder, 'root.pem')];
  writeFileSync(root, rootPem);
  await print(
    'testssl',
    ['--quiet', '--color', '0', '--warnings', 'off', '--nodns', 'none', '--ip', '127.0.0.1', '--add-ca', root, ...(process.env['BENCH_TESTSSL'] ?? '-p -s -S').split(' '), '--jsonfile', file, `lab.test:${port}`],
    300_000,
  ); // prettier-ignore
  const written = readFileSync(file, 'utf8');
  rmSync(folder, { recursive: true });
  return readTold(written);
}

const offered = [
  ['SSLv3', 'SSLv3'],
  ['TLSv1.0', 'TLS1'],
  ['TLSv1.1', 'TLS1_1'],
  ['TLSv1.2', 'TLS1_2'],
  ['TLSv1.3', 'TLS1_3'],
  ['NULL suites', 'cipherlist_NULL'],
  ['anonymous suites', 'cipherlist_aNULL'],
  ['export suites', 'cipherlist_EXPORT'],
  ['3DES suites', 'cipherlist_3DES_IDEA'],
] as const;

/** By what was written until then, where time ran out. */
function readTold(written: string): PeerAnswers {
  const lines = [...written.matchAll(/"id"\s*:\s*"([^" ]+)[^}]*?"finding"\s*:\s*"([^"]*)"/g)];
  const findingOf = (id: string) => lines.find(([, own]) => own === id)?.[2];
  const isOffered = (id: string) => {
    const finding = findingOf(id);
    if (finding === undefined || !/offered/.test(finding)) return undefined;
    return !finding.startsWith('not offered');
  };
  const chain = findingOf('cert_chain_of_trust');
  const name = findingOf('cert_trust');
  return {
    ...Object.fromEntries(offered.map(([what, id]) => [what, isOffered(id)])),
    'trusted path': chain === undefined ? undefined : /passed/i.test(chain),
    'right name': name === undefined ? undefined : /^Ok/i.test(name),
  };
}
