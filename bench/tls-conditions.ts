import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { openSslLab, type Seen } from '../test/lab/ssl-check/lab.ts';
import type { LabServer } from '../test/lab/ssl-check/servers.ts';
import { issueCertificate, issuerAt, makeKey } from '../test/unit/ssl-check/issue-certificate.ts';
import { middleboxes } from './tls-conditions-middle.ts';
import { otherConditions } from './tls-conditions-more.ts';
import { certificateConditions, opensslConditions } from './tls-conditions-rows.ts';
import type { Condition, Made } from './tls-conditions-shape.ts';

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19);
/** Conditions whose name matches. */
const only = new RegExp(process.env['BENCH_ONLY'] ?? '');

/** What most of these servers lack, and most of their conditions do not mean. */
const passedOver: readonly string[] = [
  'certificate-compression-missing',
  'group-post-quantum-missing',
  'alpn-h2-missing',
];

/** Runs the check against every condition, and tells where it says something else than an expert would: `node bench/tls-conditions.ts`. */
async function judgeConditions(): Promise<void> {
  const lab = await openSslLab({
    zone: { 'lab.test': { A: ['127.0.0.1'], CAA: [{ flags: 0, tag: 'issue', value: 'ca.test' }] } },
  });
  const { root, intermediate } = lab;
  const issue: Made['issue'] = ({ key = 'p256', names = ['lab.test'], notAfterDays = 60, isSelfSigned }) =>
    issueCertificate({
      subject: names[0] ?? 'lab.test',
      issuer: isSelfSigned === true ? null : intermediate,
      names,
      notBefore: inDays(-30),
      notAfter: inDays(notAfterDays),
      key: keyOf(key),
      extensions: [issuerAt],
    });
  const rsa = [issue({ key: 'rsa2048' }), intermediate];
  const made: Made = { usual: { rsa, ecdsa: [issue({}), intermediate] }, issue, intermediate, root };
  let right = 0;
  const chosen = [...certificateConditions, ...opensslConditions, ...otherConditions, ...middleboxes].filter(
    ({ name }) => only.test(name),
  );
  for (const one of chosen) {
    const server = await one.open(made).catch((error: unknown) => error);
    if (server instanceof Error || !isServer(server)) {
      console.log(`${one.name} · ${String(server)}`);
      continue;
    }
    const seen = await lab.check(server.port);
    await server.close();
    const faults = faultsOf(one, seen);
    if (faults.length === 0) right += 1;
    console.log(
      [
        one.name,
        seen.evidence.connections,
        Math.round(seen.tookMs),
        ...(faults.length === 0 ? ['as expected'] : faults),
      ].join(' · '),
    );
  }
  await lab.close();
  console.log(`${right} of ${chosen.length} as expected`);
}

function isServer(server: unknown): server is LabServer {
  return typeof server === 'object' && server !== null && 'port' in server;
}

function keyOf(kind: NonNullable<Parameters<Made['issue']>[0]['key']>): KeyObject {
  if (kind === 'p521') return generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey;
  if (kind === 'rsa3072') return generateKeyPairSync('rsa', { modulusLength: 3072 }).privateKey;
  if (kind === 'rsa-pss') return generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).privateKey;
  return makeKey(kind);
}

function faultsOf(
  { letter, broken, either = [], fields = {} }: Condition,
  { report, allBroken }: Seen,
): readonly string[] {
  const told = allBroken.filter((code) => !passedOver.includes(code));
  const isHstsMeant = broken.includes('hsts-missing') || letter === 'A+';
  const more = told.filter(
    (code) => ![...broken, ...either].some((one) => one === code) && (isHstsMeant || code !== 'hsts-missing'),
  );
  const less = broken.filter((code) => !told.includes(code));
  const own = report['sslLabsEquivalent'];
  return [
    ...(own === letter ? [] : [`letter ${String(own)}, not ${String(letter)}`]),
    ...more.map((code) => `said ${code}`),
    ...less.map((code) => `not said ${code}${untestedOf(report, code)}`),
    ...Object.entries(fields).flatMap(([name, value]) =>
      JSON.stringify(report[name as keyof typeof report]) === JSON.stringify(value)
        ? []
        : [`${name} ${JSON.stringify(report[name as keyof typeof report])}`],
    ),
  ];
}

function untestedOf({ notTested }: Seen['report'], code: string): string {
  const found = notTested.find((one) => one.code === code);
  return found === undefined ? '' : ` (not tested: ${found.reason})`;
}

if (import.meta.main) await judgeConditions();
