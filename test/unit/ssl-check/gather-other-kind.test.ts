import { expect, test } from 'vitest';
import { readCertificate } from '../../../worker/certificates/certificate.ts';
import { buildChain } from '../../../worker/certificates/chain.ts';
import type { Question } from '../../../worker/checks/ssl-check/evidence.ts';
import { openAllowance } from '../../../worker/checks/ssl-check/gather/allowance.ts';
import { gatherOtherKind } from '../../../worker/checks/ssl-check/gather/gather-other-kind.ts';
import type { HandshakeRequest } from '../../../worker/probes/tls/port.ts';
import {
  accepts,
  asked,
  askedOnly,
  at,
  certificateOf,
  connected,
  failed,
  intermediate,
  leafWith,
  question,
  root,
  stopped,
} from './evidence-of.ts';
import { makeKey } from './issue-certificate.ts';

const rsa = leafWith({ key: makeKey('rsa2048') });
const rsaShown = connected({ protocol: 'TLSv1.2', certificates: [rsa.base64, intermediate.base64] });
const limits = {
  connections: 30,
  kept: 0,
  timeMs: 12_000,
  answersByMs: 17_000,
  firstTimeoutMs: 5000,
  leastLingerMs: 15,
  silences: 3,
};

const readChain = (certificates: readonly string[]) =>
  buildChain(
    certificates.flatMap((one) => readCertificate(one) ?? []),
    { anchors: [certificateOf(root)], at },
  );

type Script = {
  readonly questions: readonly Question[];
  readonly client?: Partial<ReturnType<typeof connected>> | null;
  readonly offer?: 'modern' | 'small' | 'legacy';
  readonly handshake?: ReturnType<typeof connected> | ReturnType<typeof failed>;
  readonly connections?: number;
};

/** What is learnt of the other kind, and all that was asked for it. */
async function look({ questions, client = {}, offer = 'modern', ...script }: Script) {
  const requests: HandshakeRequest[] = [];
  const fetched: string[] = [];
  const tls = {
    exchange: async () => {
      throw new Error('a certificate is asked for by a handshake');
    },
    handshake: async (request: HandshakeRequest) => {
      requests.push(request);
      const answer = script.handshake ?? rsaShown;
      if (answer.kind === 'failure') return answer;
      const { maxEarlyDataBytes: _, ...rest } = answer;
      return { ...rest, session: null, isResumed: false, renegotiation: null };
    },
    addresses: async () => ['192.0.2.1'],
    connections: () => 0,
  };
  const http = {
    ask: async ({ url }: { url: string }) => {
      fetched.push(url);
      return { kind: 'failure', url, code: 'not-http', reason: 'no HTTP', address: null } as const;
    },
  };
  const target = { host: 'a.test', port: 443 };
  const allowance = openAllowance({ ...limits, connections: script.connections ?? 30 }, () => 0);
  const seen = client === null ? null : { ...connected(client), offer };
  const found = await gatherOtherKind(
    { tls, http, target, allowance, readChain },
    { client: seen, questions },
  );
  return { found, requests, fetched, taken: allowance.taken() };
}

const both = asked(question('TLSv1.2', 'sound', [accepts(0xc02b), accepts(0xc02f)]));
const cutOff = asked(question('TLSv1.2', 'sound', [accepts(0xc02b)], stopped));

test('where the suites rule out a second kind nothing more is asked', async () => {
  expect(await look({ questions: asked() })).toMatchObject({ found: null, taken: 0 });
});

test('of older versions only the first choice is known, so that a second kind is asked for', async () => {
  const questions = askedOnly(question('TLSv1', 'old', [accepts(0xc009)], stopped));
  const { found, requests } = await look({
    questions,
    offer: 'legacy',
    client: { protocol: 'TLSv1' },
    handshake: failed('ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE'),
  });
  expect(requests).toMatchObject([{ minVersion: 'TLSv1' }]);
  expect(found).toEqual({ kind: 'RSA', answer: { kind: 'refused' } });
});

test('without a client nothing is asked', async () => {
  expect(await look({ questions: both, client: null })).toMatchObject({ found: null, taken: 0 });
});

test.for([
  ['the suites show a second kind', both],
  ['the suites leave it open', cutOff],
] as const)('where %s one handshake in TLS 1.2 has it verified', async ([, questions]) => {
  const { found, requests, taken } = await look({ questions });
  expect(found).toMatchObject({ kind: 'RSA', answer: { kind: 'shown', handshake: rsaShown } });
  expect(requests).toMatchObject([
    { servername: 'a.test', maxVersion: 'TLSv1.2', ciphers: 'aRSA:!eNULL', requestOcsp: true, lingerMs: 0 },
  ]);
  expect(taken).toBe(1);
});

test('beside an RSA certificate one of ECDSA is looked for', async () => {
  const client = { certificates: [rsa.base64, intermediate.base64] };
  const { found, requests } = await look({ questions: both, client, handshake: connected() });
  expect(found).toMatchObject({ kind: 'ECDSA' });
  expect(requests).toMatchObject([{ ciphers: 'aECDSA:!eNULL' }]);
});

test('an old server is asked as it was before', async () => {
  const { requests } = await look({ questions: both, offer: 'legacy' });
  expect(requests).toMatchObject([
    { minVersion: 'TLSv1', ciphers: 'aRSA:!eNULL:@SECLEVEL=0', secureOptions: 4 },
  ]);
});

test.for([
  ['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', { kind: 'refused' }],
  ['ERR_SSL_TLSV1_ALERT_INSUFFICIENT_SECURITY', { kind: 'refused' }],
  [
    'ERR_SSL_DH_KEY_TOO_SMALL',
    { kind: 'unknown', reason: expect.stringContaining('a handshake for RSA alone') },
  ],
] as const)('after %s it is %j', async ([code, answer]) => {
  const { found } = await look({ questions: cutOff, handshake: failed(code) });
  expect(found).toEqual({ kind: 'RSA', answer });
});

test('without a connection left it stays unknown', async () => {
  const { found } = await look({ questions: both, connections: 0 });
  expect(found).toMatchObject({
    answer: { kind: 'unknown', reason: 'the limit of 0 connections was reached' },
  });
});

const tls13Only = askedOnly(question('TLSv1.3', 'tls13', [accepts(0x1302, { chain: null })]));
const algorithms = {
  ECDSA: ['ecdsa_secp256r1_sha256', 'ecdsa_secp384r1_sha384', 'ecdsa_secp521r1_sha512', 'ed25519', 'ed448'],
  RSA: [256, 384, 512].map((bits) => `rsa_pss_rsae_sha${bits}`),
};
const shownIn13 = { protocol: 'TLSv1.3', certificates: [rsa.base64, intermediate.base64] };

test.for([
  ['RSA', {}, connected(shownIn13), ['ecdsa', 'ed']],
  ['ECDSA', shownIn13, connected(), ['rsa_pss']],
] as const)(
  'of TLS 1.3 alone the %s one is brought by a handshake that can be signed by no other kind',
  async ([kind, client, handshake, without]) => {
    const { found, requests, taken } = await look({ questions: tls13Only, client, handshake });
    const { certificates } = handshake;
    expect(found).toMatchObject({ kind, answer: { kind: 'shown', handshake: { certificates } } });
    expect(requests).toMatchObject([
      { servername: 'a.test', minVersion: 'TLSv1.3', requestOcsp: true, lingerMs: 0 },
    ]);
    expect(requests[0]).not.toHaveProperty('maxVersion');
    expect(requests[0]).not.toHaveProperty('ciphers');
    const named = requests[0]?.signatureAlgorithms?.split(':') ?? [];
    expect(named.slice(0, algorithms[kind].length)).toEqual(algorithms[kind]);
    expect(named.filter((name) => without.some((start) => name.startsWith(start)))).toEqual([]);
    expect(taken).toBe(1);
  },
);

test.for(['RSA', 'ECDSA'] as const)(
  'a CA that signed the %s one by PKCS #1 is no hindrance: those algorithms come last',
  async (kind) => {
    const client = kind === 'RSA' ? {} : shownIn13;
    const { requests } = await look({ questions: tls13Only, client });
    const named = requests[0]?.signatureAlgorithms?.split(':') ?? [];
    expect(named.slice(-3)).toEqual(['RSA+SHA256', 'RSA+SHA384', 'RSA+SHA512']);
  },
);

test('in TLS 1.3 a server is asked as it was before', async () => {
  const { requests } = await look({ questions: tls13Only, offer: 'small' });
  expect(requests).toMatchObject([{ minVersion: 'TLSv1.3', ecdhCurve: 'X25519:P-256:P-384:P-521' }]);
});

test.for([
  ['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', { kind: 'refused' }],
  ['ERR_SSL_TLSV1_ALERT_ACCESS_DENIED', { kind: 'refused' }],
  ['ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR', { kind: 'unknown' }],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', { kind: 'unknown' }],
] as const)('of TLS 1.3 alone after %s it is %j', async ([code, answer]) => {
  const { found } = await look({ questions: tls13Only, handshake: failed(code) });
  expect(found).toMatchObject({ kind: 'RSA', answer });
});

test('what TLS 1.3 of a server shows that also speaks 1.2 is asked for there', async () => {
  const { requests } = await look({ questions: both });
  expect(requests).toMatchObject([{ maxVersion: 'TLSv1.2' }]);
  expect(requests[0]?.signatureAlgorithms).toBeUndefined();
});
