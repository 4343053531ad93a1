import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { readCertificate } from '../../../worker/certificates/certificate.ts';
import { joinBytes } from '../../../worker/certificates/grammar/byte-cursor.ts';
import { extensionIds } from '../../../worker/certificates/grammar/certificate-extensions.ts';
import { scanEntries } from '../../../worker/certificates/grammar/certificate-list.ts';
import { readRevocationList } from '../../../worker/certificates/revocation-list.ts';
import { allowanceLimits } from '../../../worker/checks/ssl-check/gather/allowance.ts';
import { issueCertificate } from '../../unit/ssl-check/issue-certificate.ts';
import { sequence } from '../../unit/ssl-check/write-der.ts';
import { pointName, writeEntry, writeRevocationList } from '../../unit/ssl-check/write-revocation-list.ts';
import { inDays, openSslLab } from './lab.ts';
import { identity, type LabServer, openTcpServer, openTlsServer } from './servers.ts';

// What the CRL costs a run: whole checks of one server with and without a list, near and 30 ms away, and the scan of a large one.
// Usage: node test/lab/ssl-check/timings-revocation.ts [runs]
const runs = Number(process.argv[2] ?? 15);

const thousands = (count: number) =>
  Array.from({ length: count }, (_, high) =>
    joinBytes(...Array.from({ length: 1000 }, (_entry, low) => writeEntry([1, high, low >> 8, low & 255]))),
  );
const median = (times: readonly number[]) =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

let list: Buffer = Buffer.alloc(0);
let delayMs = 0;
const later = (step: () => void) => void setTimeout(step, delayMs);
const authority = createServer((_request, response) => later(() => response.end(list)));
authority.listen(0, '127.0.0.1');
await new Promise((resolve) => authority.once('listening', resolve));
const { port } = authority.address() as AddressInfo;
const lab = await openSslLab({ zone: { 'crl.test': { A: ['127.0.0.1'] } }, limits: allowanceLimits });
list = Buffer.from(
  writeRevocationList({
    issuer: lab.intermediate,
    entries: thousands(5),
    thisUpdate: inDays(-1),
    nextUpdate: inDays(5),
  }),
);
const issue = (...points: Uint8Array[]) =>
  issueCertificate({
    subject: 'lab.test',
    issuer: lab.intermediate,
    names: ['lab.test'],
    notBefore: inDays(-30),
    notAfter: inDays(60),
    extensions: points.length === 0 ? [] : [{ id: extensionIds.revocationLists, value: sequence(...points) }],
  });
const plain = await openTlsServer(identity(issue(), lab.intermediate));
const listed = await openTlsServer(
  identity(issue(sequence(pointName(`http://crl.test:${port}/`))), lab.intermediate),
);
/** The same server behind a forwarder that holds each connection back. */
const far = (server: LabServer) =>
  openTcpServer((socket) =>
    later(() => {
      const onward = connect(server.port, '127.0.0.1').on('error', () => socket.destroy());
      socket.on('close', () => onward.destroy());
      onward.on('close', () => socket.destroy());
      socket.pipe(onward).pipe(socket);
    }),
  );
const farPlain = await far(plain);
const farListed = await far(listed);

for (delayMs of [0, 30]) {
  const times: { plain: number[]; listed: number[] } = { plain: [], listed: [] };
  for (let run = 0; run <= runs; run += 1) {
    const one = await lab.check(farPlain.port);
    const other = await lab.check(farListed.port);
    if (run === 0) continue; // the first pays for what is loaded late
    times.plain.push(one.tookMs);
    times.listed.push(other.tookMs);
  }
  const [without, beside] = [median(times.plain).toFixed(1), median(times.listed).toFixed(1)];
  console.log(
    `${delayMs} ms away, median of ${runs}: ${without} ms without a CRL, ${beside} ms with one of ${list.length} bytes`,
  );
}

const leaf = readCertificate(issue().base64);
const issuer = readCertificate(lab.intermediate.base64) ?? null;
const entries = joinBytes(...thousands(100));
const timed = (step: () => unknown) => {
  const taken = Array.from({ length: 11 }, () => {
    const start = performance.now();
    step();
    return performance.now() - start;
  });
  return median(taken).toFixed(2);
};
console.log(
  `scan of 100,000 entries (${entries.length} bytes): ${timed(() => scanEntries(entries, 'ff'))} ms`,
);
if (leaf)
  console.log(
    `read, scan and verify ${list.length} bytes: ${timed(() => readRevocationList(list, leaf, issuer))} ms`,
  );

await Promise.all([farPlain, farListed, plain, listed, lab].map((one) => one.close()));
authority.closeAllConnections();
authority.close();
