import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { openSslLab, type SslLab } from '../test/lab/ssl-check/lab.ts';
import { openPaperServer } from '../test/lab/ssl-check/paper-server.ts';
import { readCertificate } from '../worker/certificates/certificate.ts';
import { buildChain } from '../worker/certificates/chain.ts';
import { isNamedBy } from '../worker/certificates/names.ts';
import { assessSsl } from '../worker/checks/ssl-check/assess.ts';

/** What `limbo compile` writes: chains by roots of their own, each with what a client should make of it. */
type Limbo = { readonly testcases: readonly Case[] };
type Case = {
  readonly id: string;
  readonly features: readonly string[];
  readonly validation_kind: 'SERVER' | 'CLIENT';
  readonly trusted_certs: readonly string[];
  readonly untrusted_intermediates: readonly string[];
  readonly peer_certificate: string;
  readonly validation_time: string | null;
  readonly expected_result: 'SUCCESS' | 'FAILURE';
  readonly expected_peer_name: { readonly kind: string; readonly value: string } | null;
  readonly max_chain_depth: number | null;
};

/** What a case asks for and this check does not take: CRLs of a caller, and a depth that the caller chooses. */
const notTaken = ['has-crl', 'max-chain-depth'];

const [, , file = ''] = process.argv;

/** Judges every chain of a file of x509-limbo's, in process and as a server shows it: `node bench/tls-limbo.ts <limbo.json>`. */
async function judgeLimbo(): Promise<void> {
  const { testcases } = JSON.parse(readFileSync(file, 'utf8')) as Limbo;
  const judged = testcases.filter(isForServers);
  const hosts = new Set(judged.map(hostOf));
  const zone = Object.fromEntries([...hosts].map((host) => [host, { A: ['127.0.0.1'] }]));
  const lab = await openSslLab({ zone });
  const ownRoots = getCACertificates('default');
  const wrong: string[] = [];
  const wrongSent: string[] = [];
  for (const one of judged) {
    const wanted = one.expected_result === 'SUCCESS';
    const features = one.features.length > 0 ? ` (${one.features.join(', ')})` : '';
    const said = `${one.id}: ${one.expected_result}${features}`;
    if (judgeInProcess(one) !== wanted) wrong.push(said);
    setDefaultCACertificates([...ownRoots, ...one.trusted_certs.filter((pem) => isReadable(pem))]);
    if ((await judgeOverTheWire(one, lab)) !== wanted) wrongSent.push(said);
  }
  await lab.close();
  const count = judged.length;
  console.log(`${testcases.length - count} of ${testcases.length} cases are left out.`);
  console.log([`in process: ${count - wrong.length} of ${count} as expected`, ...wrong].join('\n  '));
  console.log(
    [`over the wire: ${count - wrongSent.length} of ${count} as expected`, ...wrongSent].join('\n  '),
  );
}

/** A target is a name, never an address. */
function isForServers({ validation_kind, expected_peer_name, features }: Case): boolean {
  const isNamed = expected_peer_name === null || expected_peer_name.kind === 'DNS';
  return validation_kind === 'SERVER' && isNamed && !features.some((one) => notTaken.includes(one));
}

function hostOf({ expected_peer_name }: Case): string {
  return expected_peer_name?.value ?? 'example.com';
}

function judgeInProcess(one: Case): boolean {
  const sent = chainOf(one).flatMap((pem) => readCertificate(base64Of(pem)) ?? []);
  const anchors = one.trusted_certs.flatMap((pem) => readCertificate(base64Of(pem)) ?? []);
  const { trust, leaf } = buildChain(sent, { anchors, at: timeOf(one) });
  const isNamed = one.expected_peer_name === null || (leaf !== null && isNamedBy(hostOf(one), leaf.names));
  return trust?.kind === 'trusted' && isNamed;
}

async function judgeOverTheWire(one: Case, lab: SslLab): Promise<boolean> {
  const certificates = chainOf(one).map((pem) => Buffer.from(base64Of(pem), 'base64'));
  const server = await openPaperServer({ versions: { 0x0303: [0xc02b, 0xc02f] }, certificates });
  const { evidence } = await lab.check(server.port, hostOf(one));
  await server.close();
  const { trust } = assessSsl({ ...evidence, at: timeOf(one) }).fields;
  return trust.trusted === true;
}

function chainOf({ peer_certificate, untrusted_intermediates }: Case): readonly string[] {
  return [peer_certificate, ...untrusted_intermediates];
}

function base64Of(pem: string): string {
  return pem.replaceAll(/-----[^-]+-----|\s/g, '');
}

function isReadable(pem: string): boolean {
  return readCertificate(base64Of(pem)) !== undefined;
}

function timeOf({ validation_time }: Case): number {
  return validation_time === null ? Date.now() : Date.parse(validation_time);
}

if (import.meta.main) await judgeLimbo();
