import { spawn } from 'node:child_process';
import { allowanceLimits } from '../../../worker/checks/ssl-check/gather/allowance.ts';
import { issueCertificate, makeKey } from '../../unit/ssl-check/issue-certificate.ts';
import { inDays, openSslLab } from './lab.ts';
import { nginxAddresses, openNginx } from './nginx.ts';
import { hasTool } from './tools.ts';

// Wall time of a whole run (gather and assess, with its DNS questions and the request for HSTS) ÷ sslscan's, on one nginx, taking turns.
// Usage: node test/lab/ssl-check/against-sslscan.ts [rounds] [single|dual] [default|careful] [one|four]; four: the name has three IPv4 addresses and one IPv6 address, and sslscan runs for each in turn. dual has an RSA certificate beside the one with P-256, careful has few suites.
const rounds = Number(process.argv[2] ?? 15);
if (!hasTool('sslscan', '--version') || !hasTool('nginx', '-v')) process.exit(0);
const isFour = process.argv[5] === 'four';
const four = { 'lab.test': { A: ['127.0.0.1', '127.0.0.2', '127.0.0.3'], AAAA: ['::1'] } };
const lab = await openSslLab({ limits: allowanceLimits, zone: isFour ? four : {} });
const rsa = issueCertificate({
  subject: 'lab.test',
  issuer: lab.intermediate,
  names: ['lab.test'],
  notBefore: inDays(-30),
  notAfter: inDays(60),
  key: makeKey('rsa2048'),
});
const second = ['ssl_certificate rsa.pem;', 'ssl_certificate_key rsa-key.pem;'];
const careful = ['ssl_ciphers ECDHE+AESGCM:ECDHE+CHACHA20;'];
const nginx = await openNginx(
  [lab.leaf, lab.intermediate],
  [
    'ssl_protocols TLSv1.2 TLSv1.3;',
    ...(process.argv[3] === 'dual' ? second : []),
    ...(process.argv[4] === 'careful' ? careful : []),
  ],
  'ssl http2',
  { 'rsa.pem': `${rsa.certPem}${lab.intermediate.certPem}`, 'rsa-key.pem': rsa.keyPem },
);

const runSslscan = (port: number, address: string) =>
  new Promise<number>((resolve) => {
    const start = performance.now();
    const child = spawn('sslscan', ['--no-colour', '--sni-name=lab.test', `${address}:${port}`], {
      stdio: 'ignore',
    });
    child.once('exit', () => resolve(performance.now() - start));
  });

const ours: number[] = [];
const theirs: number[] = [];
let connections = 0;
for (let round = 0; round <= rounds; round += 1) {
  const seen = await lab.check(nginx.port);
  let tookMs = 0;
  for (const address of isFour ? nginxAddresses : nginxAddresses.slice(0, 1))
    tookMs += await runSslscan(nginx.port, address);
  connections = seen.evidence.connections;
  if (round === 0) {
    console.log(`first run of the process: ${seen.tookMs.toFixed(1)} ms`);
    continue; // the code is not warm yet; a worker is
  }
  ours.push(seen.tookMs);
  theirs.push(tookMs);
}
await nginx.close();
await lab.close();

const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const range = (values: readonly number[]) =>
  `${median(values).toFixed(1)} ms median (${Math.min(...values).toFixed(1)}–${Math.max(...values).toFixed(1)})`;
console.log(`ssl-check: ${range(ours)}, ${connections} connections`);
console.log(`sslscan:   ${range(theirs)}`);
console.log(
  `ratio of the medians: ${(median(ours) / median(theirs)).toFixed(3)} of ${rounds} rounds (wanted: at most 0.2)`,
);
