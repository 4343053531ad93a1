import { expect, test } from 'vitest';
import type { GroupsSeen, Question } from '../../../worker/checks/ssl-check/evidence.ts';
import { openAllowance } from '../../../worker/checks/ssl-check/gather/allowance.ts';
import { openHelloAsker } from '../../../worker/checks/ssl-check/gather/ask-hello.ts';
import { gatherOtherKind } from '../../../worker/checks/ssl-check/gather/gather-other-kind.ts';
import type { Exchange, HandshakeRequest } from '../../../worker/probes/tls/port.ts';
import {
  accepts,
  asked,
  askedOnly,
  connected,
  failed,
  intermediate,
  leafWith,
  question,
  refused,
  stopped,
} from './evidence-of.ts';
import { makeKey } from './issue-certificate.ts';
import { type ReadHello, readClientHello } from './read-client-hello.ts';
import { alertRecord, extension, writeServerFlight } from './write-server-flight.ts';

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

type Script = {
  readonly questions: readonly Question[];
  readonly client?: Partial<ReturnType<typeof connected>> | null;
  readonly offer?: 'modern' | 'legacy';
  readonly groups?: GroupsSeen['accepted'];
  readonly handshake?: ReturnType<typeof connected> | ReturnType<typeof failed>;
  readonly hello?: (read: ReadHello | null) => Uint8Array | 'timeout' | 'closed';
  readonly connections?: number;
};

/** What is learnt of the other kind, and all that was asked for it. */
async function look({ questions, client = {}, offer = 'modern', groups = [0x001d], ...script }: Script) {
  const requests: HandshakeRequest[] = [];
  const hellos: (ReadHello | null)[] = [];
  const fetched: string[] = [];
  const tls = {
    exchange: async ({ send }: { send: Uint8Array }): Promise<Exchange> => {
      const read = readClientHello(send);
      hellos.push(read);
      const reply = script.hello?.(read) ?? 'timeout';
      const isSilent = typeof reply === 'string';
      const ended = isSilent ? reply : 'complete';
      return {
        kind: 'received',
        bytes: isSilent ? new Uint8Array(0) : reply,
        ended,
        address: '192.0.2.1',
        ms: 3,
      };
    },
    handshake: async (request: HandshakeRequest) => {
      requests.push(request);
      const answer = script.handshake ?? rsaShown;
      if (answer.kind === 'failure') return answer;
      const { maxEarlyDataBytes: _, ...rest } = answer;
      return { ...rest, session: null };
    },
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
  const asker = openHelloAsker(tls, target, allowance);
  const seen = client === null ? null : { ...connected(client), offer };
  const found = await gatherOtherKind(
    { tls, http, target, allowance, asker },
    { client: seen, questions, groups: { accepted: groups, end: refused() } },
  );
  return { found, requests, hellos, fetched, taken: allowance.taken() };
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
const serverHello = (group: number) =>
  writeServerFlight({
    version: 0x0304,
    suite: 0x1301,
    extensions: [extension(43, 3, 4), extension(51, group >> 8, group & 255)],
  });

const replies: readonly (readonly [name: string, hello: NonNullable<Script['hello']>, answer: object])[] = [
  ['goes on', () => serverHello(0x001d), { kind: 'hidden' }],
  ['refuses', () => alertRecord(2, 40), { kind: 'refused' }],
  ['wants another greeting', () => serverHello(0x0018), { kind: 'unknown' }],
  ['says nothing', () => 'timeout', { kind: 'unknown' }],
  ['hangs up', () => 'closed', { kind: 'unknown' }],
];
test.for(replies)(
  'of TLS 1.3 alone a server that %s at a greeting for RSA alone is told',
  async ([, hello, answer]) => {
    const { found, hellos, requests } = await look({ questions: tls13Only, hello });
    expect(found).toMatchObject({ kind: 'RSA', answer });
    expect(requests).toEqual([]);
    expect(hellos).toMatchObject([
      { version: 0x0304, groups: [0x001d], keyShares: [{ group: 0x001d, bytes: 32 }] },
    ]);
    expect(hellos[0]?.schemes).toContain(0x0804);
    expect(hellos[0]?.schemes).not.toContain(0x0403);
  },
);

test('P-256 will do where x25519 is not taken, and its share is a point', async () => {
  const { hellos } = await look({
    questions: tls13Only,
    groups: [0x0018, 0x0017],
    hello: () => serverHello(0x0017),
  });
  expect(hellos).toMatchObject([{ keyShares: [{ group: 0x0017, bytes: 65 }] }]);
});

test('where neither is taken nothing is asked', async () => {
  const { found, taken } = await look({ questions: tls13Only, groups: [0x11ec] });
  expect(found).toMatchObject({ answer: { kind: 'unknown' } });
  expect(taken).toBe(0);
});

test('what TLS 1.3 of a server shows that also speaks 1.2 is asked for there', async () => {
  const { hellos, requests } = await look({ questions: both });
  expect([hellos.length, requests.length]).toEqual([0, 1]);
});
