import { once } from 'node:events';
import { request } from 'node:https';
import { type AddressInfo, connect as connectPlain } from 'node:net';
import { connect, createServer, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { extensionIds } from '../../../worker/certificates/grammar/certificate-extensions.ts';
import type { Dial } from '../../../worker/probes/guard.ts';
import { openGuardedAgents } from '../../../worker/probes/http/agents.ts';
import { openTlsProbe, tlsLimits } from '../../../worker/probes/tls/open.ts';
import { issueCertificate, type Wishes } from '../../unit/ssl-check/issue-certificate.ts';
import { sequence, text } from '../../unit/ssl-check/write-der.ts';

const root = issueCertificate({ subject: 'Lab Root', issuer: null, isAuthority: true });
setDefaultCACertificates([root.certPem]);

/** A certificate that has only these names, none of them of the DNS. */
const others = (...names: readonly Uint8Array[]): Pick<Wishes, 'extensions'> => ({
  extensions: [{ id: extensionIds.subjectAltName, value: sequence(...names) }],
});
const uri = (value: string) => text(0x86, value);

const cases: { name: string; wishes: Partial<Wishes>; isFor: boolean }[] = [
  { name: 'its name', wishes: { names: ['b.test', 'www.a.test'] }, isFor: true },
  { name: 'its name in capitals', wishes: { names: ['WWW.A.TEST'] }, isFor: true },
  { name: 'a wildcard', wishes: { names: ['*.a.test'] }, isFor: true },
  { name: 'another name', wishes: { names: ['b.test'] }, isFor: false },
  { name: 'a common name', wishes: { subject: 'www.a.test' }, isFor: true },
  { name: 'another common name', wishes: { subject: 'b.test' }, isFor: false },
  {
    name: 'a common name beside other names',
    wishes: { subject: 'www.a.test', names: ['b.test'] },
    isFor: false,
  },
  {
    name: 'a common name beside a URI',
    wishes: { subject: 'www.a.test', ...others(uri('x:y')) },
    isFor: true,
  },
  {
    name: 'a URI that reads like a name',
    wishes: { subject: 'b.test', ...others(uri('x:y, DNS:www.a.test')) },
    isFor: false,
  },
];

/** Whether a client of Node's own, without anything of ours, takes the certificate for the host's. */
async function askNode(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1', servername: 'www.a.test', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  socket.destroy();
  return socket.authorized;
}

const dialTo =
  (port: number): Dial =>
  async () => {
    const socket = connectPlain(port, '127.0.0.1');
    await once(socket, 'connect');
    return { socket, address: '127.0.0.1', times: { start: 0, resolved: 0, connected: 0 } };
  };
const { signal } = new AbortController();

async function askOverHttp(port: number): Promise<boolean> {
  const slots = { onWait: () => () => undefined, waiting: () => 0 };
  const limits = { tlsMs: 5000, headerBytes: 65_536 };
  const agents = openGuardedAgents({ dial: dialTo(port), slots, signal, ...limits, keepAlive: true });
  const sent = request({ host: 'www.a.test', agent: agents.https });
  const [socket] = (await once(sent, 'socket')) as [TLSSocket];
  sent.on('error', () => undefined).destroy();
  agents.destroy();
  return socket.authorized;
}

async function askOverTls(port: number): Promise<boolean> {
  const probe = openTlsProbe(dialTo(port), async () => [], tlsLimits, signal);
  const name = 'www.a.test';
  const seen = await probe.handshake({ host: name, port, servername: name, lingerMs: 0 });
  return seen.kind === 'connected' && seen.trustError === null;
}

test.for(cases)('a certificate with $name is judged as Node judges it', async ({ wishes, isFor }) => {
  const { keyPem, certPem } = issueCertificate({ subject: 'Site', issuer: root, ...wishes });
  const server = createServer({ key: keyPem, cert: certPem }, (socket) =>
    socket.on('error', () => undefined),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const verdicts = await Promise.all([askNode(port), askOverHttp(port), askOverTls(port)]);
  expect(verdicts).toEqual([isFor, isFor, isFor]);
});
