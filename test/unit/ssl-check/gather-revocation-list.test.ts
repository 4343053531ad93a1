import { expect, test, vi } from 'vitest';
import { buildChain } from '../../../worker/certificates/chain.ts';
import { extensionIds } from '../../../worker/certificates/grammar/certificate-extensions.ts';
import { allowanceLimits, openAllowance } from '../../../worker/checks/ssl-check/gather/allowance.ts';
import {
  gatherRevocationList,
  listLimitBytes,
} from '../../../worker/checks/ssl-check/gather/gather-revocation-list.ts';
import type { HttpAnswer, HttpProbe, HttpRequest } from '../../../worker/probes/http/port.ts';
import { at, certificateOf, intermediate, leaf, leafWith, otherIntermediate, root } from './evidence-of.ts';
import { type Issued, issueCertificate } from './issue-certificate.ts';
import { der, sequence, text } from './write-der.ts';
import { pointName, writeEntry, writeRevocationList } from './write-revocation-list.ts';

const url = 'http://crl.test/1';
const pointsTo = (...points: Uint8Array[]) =>
  leafWith({
    serial: [0x11, 0x22],
    extensions: [{ id: extensionIds.revocationLists, value: sequence(...points) }],
  });
const pointing = pointsTo(sequence(pointName(url)));
const list = writeRevocationList({ issuer: intermediate, entries: [writeEntry([0x11, 0x22], undefined, 4)] });

type Body = Partial<Extract<HttpAnswer, { kind: 'response' }>['body']> & { readonly bytes?: Uint8Array };
const answered = (status: number, body: Body): HttpAnswer => ({
  kind: 'response',
  url,
  status,
  statusText: '',
  httpVersion: '1.1',
  headers: [],
  body: { text: '', wireBytes: 0, decodedBytes: 0, ...body },
  address: '192.0.2.9',
  tls: null,
  timings: { wait: 0, dns: 0, tcp: 0, tls: 0, ttfb: 0, download: 0, total: 0, reused: false },
});
const openAt = (now = 0) => openAllowance(allowanceLimits, () => now);
const gather = async (
  chain: readonly Issued[],
  answer: HttpAnswer | Promise<HttpAnswer>,
  anchors: readonly Issued[] = [root, intermediate],
) => {
  const requests: HttpRequest[] = [];
  const http: HttpProbe = {
    async ask(request) {
      requests.push(request);
      return answer;
    },
  };
  const seen = await gatherRevocationList(
    http,
    buildChain(chain.map(certificateOf), { anchors: anchors.map(certificateOf), at }),
    openAt(),
  );
  return { seen, requests };
};

test('a list is asked for once, as bytes, and read for the certificate', async () => {
  const { seen, requests } = await gather([pointing, intermediate], answered(200, { bytes: list }));
  expect(requests).toMatchObject([{ url, asBytes: true, bodyLimitBytes: listLimitBytes }]);
  expect(seen).toMatchObject({
    kind: 'list',
    url,
    sizeBytes: list.length,
    signature: 'good',
    isOfIssuer: true,
    entriesCount: 1,
    entry: { reason: 'superseded' },
  });
  expect(JSON.parse(JSON.stringify(seen))).toEqual(seen);
});

test('an issuer that is in the store need not be sent', async () => {
  const { seen } = await gather([pointing], answered(200, { bytes: list }));
  expect(seen).toMatchObject({ kind: 'list', signature: 'good' });
});

const indirect = sequence(pointName(url), der(0xa2, sequence()));
test.for([
  { name: 'names none', chain: [leaf], reason: 'the certificate names no CRL' },
  {
    name: 'names one by LDAP only',
    chain: [pointsTo(sequence(der(0xa0, der(0xa0, text(0x86, 'ldap://crl.test/cn=a')))))],
    reason: 'the certificate names no CRL with an http address',
  },
  {
    name: 'names one by https only',
    chain: [pointsTo(sequence(pointName('https://crl.test/1')))],
    reason: 'the certificate names no CRL with an http address',
  },
  {
    name: 'names what is no address',
    chain: [pointsTo(sequence(pointName('http://[', 'crl.test', '')))],
    reason: 'the certificate names no CRL with an http address',
  },
  {
    name: 'names an indirect one',
    chain: [pointsTo(indirect)],
    reason: 'the CRL that the certificate names is an indirect or partial one',
  },
  { name: 'was not seen', chain: [], reason: 'no certificate was seen' },
])('nothing is asked where the certificate $name', async ({ chain, reason }) => {
  const { seen, requests } = await gather(chain, answered(200, { bytes: list }));
  expect(requests).toEqual([]);
  expect(seen).toEqual({ kind: 'unknown', url: null, reason });
});

const pointsAlone = [{ id: extensionIds.revocationLists, value: sequence(sequence(pointName(url))) }];
test.for([
  { name: 'leads to an unknown root', chain: [pointing, intermediate, root], anchors: [] },
  {
    name: 'is signed by itself',
    chain: [issueCertificate({ subject: 'a.test', issuer: null, extensions: pointsAlone })],
    anchors: [root],
  },
  { name: 'lacks its issuer', chain: [pointing, otherIntermediate], anchors: [root] },
  {
    name: 'has expired',
    chain: [leafWith({ notAfter: '2026-11-20T00:00:00', extensions: pointsAlone }), intermediate],
    anchors: [root],
  },
])('nothing is asked where the chain $name: such a certificate may name any address', async (row) => {
  const { seen, requests } = await gather(row.chain, answered(200, { bytes: list }), row.anchors);
  expect(requests).toEqual([]);
  expect(seen).toMatchObject({ kind: 'unknown', url: null });
});

test('without a handshake nothing is asked', async () => {
  const http: HttpProbe = { ask: () => Promise.reject(new Error('it was asked')) };
  expect(await gatherRevocationList(http, null, openAt())).toMatchObject({ kind: 'unknown' });
});

test('the first address of a whole list is taken', async () => {
  const chain = [pointsTo(indirect, sequence(pointName('ldap://a', 'http://crl.test/2')))];
  const { requests } = await gather(chain, answered(404, {}));
  expect(requests.map((request) => request.url)).toEqual(['http://crl.test/2']);
});

const failure = {
  kind: 'failure',
  url,
  code: 'connection-timeout',
  reason: 'no answer',
  address: null,
} as const;
test.for([
  { name: 'no answer', answer: failure, reason: 'the CRL could not be fetched: no answer' },
  { name: 'another status', answer: answered(301, {}), reason: 'the server of the CRL answered 301' },
  {
    name: 'too much',
    answer: answered(200, { bytes: list, cut: 'limit' }),
    reason: 'the CRL is larger than 1 MB',
  },
  {
    name: 'half of it',
    answer: answered(200, { bytes: list, cut: 'closed-early' }),
    reason: 'the CRL did not come whole (closed-early)',
  },
  { name: 'text alone', answer: answered(200, { text: '0' }), reason: 'the CRL could not be had as bytes' },
  {
    name: 'a page',
    answer: answered(200, { bytes: new TextEncoder().encode('<!doctype html>') }),
    reason: 'it is no CRL in DER: a length of unusual form, or one that runs past the end at byte 1',
  },
] as const)('$name is told', async ({ answer, reason }) => {
  const { seen } = await gather([pointing, intermediate], answer);
  expect(seen).toEqual({ kind: 'unknown', url, reason });
});

test('a server that never ends is left after six seconds', async () => {
  vi.useFakeTimers();
  const gathering = gather([pointing, intermediate], new Promise(() => undefined));
  await vi.advanceTimersByTimeAsync(6000);
  expect((await gathering).seen).toMatchObject({ reason: 'the CRL did not come in time' });
  vi.useRealTimers();
});

test('late in a run there is less time for it, and at last none', () => {
  let now = 0;
  const allowance = openAllowance(allowanceLimits, () => now);
  expect(allowance.leftMs(6000)).toBe(6000);
  now = 15_000;
  expect(allowance.leftMs(6000)).toBe(2000);
  now = 18_000;
  expect(allowance.leftMs(6000)).toBe(0);
});
