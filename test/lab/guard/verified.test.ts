import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, expect, test } from 'vitest';
import { parseCidr } from '#shared/targets/classify-address';
import { openAddressSlots } from '../../../worker/probes/address-slots.ts';
import { openGuard } from '../../../worker/probes/guard.ts';
import {
  sendVerified,
  type VerifiedRequest,
  type VerifiedSettings,
} from '../../../worker/probes/verified/send.ts';
import { makeAuthority } from '../kit/certificates.ts';

const [trusted, foreign] = await Promise.all([makeAuthority('Trusted Root'), makeAuthority('Foreign Root')]);
setDefaultCACertificates([...getCACertificates('bundled'), trusted.cert]);

let handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
const requests: string[] = [];
const dayMs = 86_400_000;
const certificates: Record<string, { key: string; cert: string }> = {
  'good.test': await trusted.issue(['good.test']),
  'name.test': await trusted.issue(['other.test']),
  'root.test': await foreign.issue(['root.test']),
  'old.test': await trusted.issue(['old.test'], { notAfter: new Date(Date.now() - dayMs / 2) }),
};
const server = createServer(certificates['good.test'] ?? {}, (request, response) => {
  requests.push(request.headers.host ?? '');
  handle(request, response);
});
for (const [name, pair] of Object.entries(certificates)) server.addContext(name, pair);
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const policy = {
  addresses: { allow: [parseCidr('127.0.0.1/32')], deny: [] },
  allowedSuffixes: ['test'],
  ports: [[443, 443] as const],
};
const settings = {
  policy,
  dial: openGuard({
    policy,
    portMap: new Map([[443, port]]),
    slots: openAddressSlots(8),
    charge: async () => undefined,
    connectTimeoutMs: 30_000,
    resolve: async (name) => [name === 'inside.test' ? '10.0.0.1' : '127.0.0.1'],
  }),
  userAgent: 'lab',
  limits: { tlsMs: 30_000, requestMs: 30_000, headerBytes: 16_384 },
};
const { signal } = new AbortController();
const send = (request: Partial<VerifiedRequest>, more: Partial<VerifiedSettings> = {}) =>
  sendVerified(
    { url: 'https://good.test/', method: 'GET', headers: {}, bodyLimitBytes: 1000, ...request },
    { ...settings, ...more },
    signal,
  );

test('a body is sent and an answer read over a connection whose certificate is good', async () => {
  handle = (request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => response.writeHead(201, { 'x-seen': request.method }).end(`got ${body}`));
  };
  const answer = await send({ method: 'POST', body: Buffer.from('news') });
  expect(answer).toMatchObject({ kind: 'response', status: 201, body: { bytes: Buffer.from('got news') } });
  expect('headers' in answer && answer.headers.get('x-seen')).toBe('POST');
});

test.for(['name.test', 'root.test', 'old.test'])('nothing is sent to %s', async (host) => {
  requests.length = 0;
  const answer = await send({ url: `https://${host}/`, method: 'POST', body: Buffer.from('secret') });
  expect(answer).toMatchObject({ kind: 'failure', code: 'certificate-not-trusted' });
  expect(requests).toEqual([]);
});

test.for([
  ['an http address', 'http://good.test/', 'target-not-allowed'],
  ['another port', 'https://good.test:22/', 'target-not-allowed'],
  ['an address literal that is not public', 'https://10.0.0.1/', 'target-not-allowed'],
  ['a name of an address that is not public', 'https://inside.test/', 'target-address-not-allowed'],
] as const)('%s is refused before anything is sent', async ([, url, code]) => {
  expect(await send({ url })).toMatchObject({ kind: 'failure', code });
});

test('an endless body is read up to its limit, and no byte of it where none is wanted', async () => {
  handle = (_request, response) => {
    const more = () => {
      while (response.write('x'.repeat(10_000)));
      response.once('drain', more);
    };
    more();
  };
  for (const limit of [5000, 0]) {
    const answer = await send({ bodyLimitBytes: limit });
    const bytes = new Uint8Array(limit).fill('x'.charCodeAt(0));
    expect(answer).toMatchObject({
      kind: 'response',
      status: 200,
      body: { cut: 'limit', bytes: Buffer.from(bytes) },
    });
  }
});

test('a server that never answers ends with the limit of the request, and a stopped run with its reason', async () => {
  handle = () => undefined;
  const limits = { ...settings.limits, requestMs: 200 };
  expect(await send({}, { limits })).toMatchObject({ kind: 'failure', code: 'response-timeout' });
  const stop = new AbortController();
  const sending = sendVerified(
    { url: 'https://good.test/', method: 'GET', headers: {}, bodyLimitBytes: 0 },
    settings,
    stop.signal,
  );
  stop.abort(new Error('the run ended'));
  await expect(sending).rejects.toThrow('the run ended');
});

test('a request is sent only where its addresses are admitted, which are those that are connected to', async () => {
  requests.length = 0;
  handle = (_request, response) => response.end('ok');
  const asked: (readonly string[])[] = [];
  const findAddresses = async () => ['127.0.0.1'];
  const admit = async (addresses: readonly string[]) => void asked.push(addresses);
  expect(await send({}, { admission: { findAddresses, admit } })).toMatchObject({ status: 200 });
  expect(asked).toEqual([['127.0.0.1']]);
  expect(requests).toHaveLength(1);
  const refuse = async () => {
    throw new Error('not now');
  };
  await expect(send({}, { admission: { findAddresses, admit: refuse } })).rejects.toThrow('not now');
  // The name leads elsewhere by the time it is dialled.
  const elsewhere = { findAddresses: async () => ['127.0.0.2'], admit };
  expect(await send({}, { admission: elsewhere })).toMatchObject({ kind: 'failure', code: 'name-not-found' });
  expect(requests).toHaveLength(1);
});
