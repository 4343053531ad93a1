import { connect, type Socket } from 'node:net';
import { openSslLab } from '../test/lab/ssl-check/lab.ts';
import { type LabServer, openTcpServer } from '../test/lab/ssl-check/servers.ts';
import { issueCertificate, makeKey } from '../test/unit/ssl-check/issue-certificate.ts';
import { peerServers } from './tls-peers-servers.ts';

const roundTripMs = 300;
const only = new RegExp(process.env['BENCH_ONLY'] ?? 'intermediate|old|default');
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19);

/** How many round trips of 300 ms, one after the other, a check of a real server takes: `node bench/tls-round-trips.ts`. */
async function countRoundTrips(): Promise<void> {
  const lab = await openSslLab();
  const validity = { notBefore: inDays(-30), notAfter: inDays(60) };
  const wishes = { subject: 'lab.test', issuer: lab.intermediate, names: ['lab.test'], ...validity };
  const rsa = [issueCertificate({ ...wishes, key: makeKey('rsa2048') }), lab.intermediate];
  const identities = { rsa, ecdsa: [issueCertificate(wishes), lab.intermediate] };
  console.log('server · seconds · round trips in series · connections · CPU ms');
  for (const { name, open } of peerServers.filter((one) => only.test(one.name))) {
    const server = await open(identities);
    const far = await openFar(server);
    const before = process.threadCpuUsage();
    const { tookMs, evidence } = await lab.check(far.port);
    const { user, system } = process.threadCpuUsage(before);
    await far.close();
    await server.close();
    const trips = (tookMs / roundTripMs).toFixed(1);
    console.log(
      [
        name,
        (tookMs / 1000).toFixed(1),
        trips,
        evidence.connections,
        Math.round((user + system) / 1000),
      ].join(' · '),
    );
  }
  await lab.close();
}

/** The same server, a round trip away: what a connection brings first comes a whole one later, as its handshake of TCP would. */
function openFar(server: { readonly port: number }): Promise<LabServer> {
  return openTcpServer((client) => {
    const back = connect(server.port, '127.0.0.1');
    pass(client, back, roundTripMs);
    pass(back, client, 0);
  });
}

/** Half a round trip from one end to the other, in order. */
function pass(from: Socket, to: Socket, firstMs: number): void {
  from.on('error', () => to.destroy());
  from.on('data', (bytes) => void setTimeout(() => to.write(bytes), firstMs + roundTripMs / 2));
  from.once('end', () => void setTimeout(() => to.end(), firstMs + roundTripMs / 2));
  from.once('close', () => void setTimeout(() => to.destroy(), firstMs + roundTripMs));
}

if (import.meta.main) await countRoundTrips();
