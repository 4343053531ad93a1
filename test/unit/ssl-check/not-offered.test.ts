import { expect, test } from 'vitest';
import { assessSsl } from '../../../worker/checks/ssl-check/assess.ts';
import type { SslEvidence } from '../../../worker/checks/ssl-check/evidence.ts';
import { simulateClients } from '../../../worker/checks/ssl-check/facts/clients.ts';
import { readFacts } from '../../../worker/checks/ssl-check/facts/facts.ts';
import { type ClientHello, writeClientHello } from '../../../worker/checks/ssl-check/grammar/client-hello.ts';
import {
  findNotOffered,
  nameNotOffered,
  whyRefused,
} from '../../../worker/checks/ssl-check/grammar/not-offered.ts';
import { readSentHello } from '../../../worker/checks/ssl-check/grammar/sent-hello.ts';
import { openFlightReader } from '../../../worker/checks/ssl-check/grammar/server-flight.ts';
import { accepts, asked, evidenceOf, question } from './evidence-of.ts';
import { runOnPaper } from './run-on-paper.ts';
import { extension, type WrittenFlight, writeServerFlight } from './write-server-flight.ts';

const random = new Uint8Array(32).fill(7);
const of12: ClientHello = {
  version: 'TLSv1.2',
  servername: 'a.test',
  suites: [0xc02b, 0xc02f, 0x009e, 0x1301],
  groups: [0x001d, 0x0017, 0x11ec],
  alpn: ['h2', 'http/1.1'],
  signatures: [0x0403, 0x0804],
  compression: false,
  random,
};
const of13: ClientHello = {
  ...of12,
  version: 'TLSv1.3',
  versions: ['TLSv1.2', 'TLSv1.3'],
  greases: true,
  keyShares: [{ group: 0x001d, publicKey: new Uint8Array(32) }],
};
const retryRandom = Uint8Array.from(
  Buffer.from('cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c', 'hex'),
);

/** Answers of servers, and what a client has to refuse in them. */
const answer12 = (more: Partial<WrittenFlight>) => ({
  version: 0x0303,
  suite: 0xc02b,
  group: 0x0017,
  scheme: 0x0403,
  done: true,
  ...more,
});
const answer13 = (group: number, more: Partial<WrittenFlight> = {}) => ({
  version: 0x0304,
  suite: 0x1301,
  sessionId: random,
  extensions: [extension(43, 3, 4), extension(51, group >> 8, group & 255)],
  ...more,
});
const alpnOf = (...names: readonly string[]) => {
  const list = Buffer.concat(names.map((name) => Buffer.from([name.length, ...Buffer.from(name)])));
  return { extensions: [extension(16, 0, list.length, list)] };
};

test.for([
  ['a curve that was offered', of12, answer12({}), null],
  ['a curve where the hello names none', { ...of12, groups: [] }, answer12({}), null],
  ['a curve that was not offered', of12, answer12({ group: 0x0018 }), 'group'],
  ['a hybrid of TLS 1.3, offered or not', of12, answer12({ group: 0x11ec }), 'group'],
  ['the same in a hello that allows both versions', of13, answer12({ group: 0x11ec }), 'group'],
  ['a value of RFC 8701', of13, answer12({ group: 0x1a1a }), 'group'],
  [
    'a prime of its own',
    of12,
    { version: 0x0303, suite: 0x009e, prime: new Uint8Array(256).fill(255), scheme: 0x0804 },
    null,
  ],
  ['a suite that was not offered', of12, answer12({ suite: 0xc030 }), 'suite'],
  ['a suite of TLS 1.3', of12, { version: 0x0303, suite: 0x1301 }, 'suite-of-other-version'],
  ['a suite of TLS 1.2 in TLS 1.3', of13, answer13(0x001d, { suite: 0xc02b }), 'suite-of-other-version'],
  ['a suite of TLS 1.2 in TLS 1.1', of12, answer12({ version: 0x0302 }), 'suite-of-other-version'],
  ['a scheme that was not offered', of12, answer12({ scheme: 0x0201 }), 'signature-scheme'],
  ['no scheme in TLS 1.0', { ...of12, suites: [0xc009] }, { version: 0x0301, suite: 0xc009 }, null],
  ['compression that was not offered', of12, answer12({ compression: 1 }), 'compression'],
  ['compression that was offered', { ...of12, compression: true }, answer12({ compression: 1 }), null],
  ['a protocol that was offered', of12, answer12(alpnOf('h2')), null],
  ['a protocol that was not offered', of12, answer12(alpnOf('spdy/3')), 'alpn'],
  ['two protocols', of12, answer12(alpnOf('h2', 'http/1.1')), 'alpn-list'],
  ['a protocol where none was offered', { ...of12, alpn: [] }, answer12(alpnOf('h2')), 'extension'],
  ['an extension that was not offered', of12, answer12({ extensions: [extension(22)] }), 'extension'],
  [
    'extensions that were offered',
    of12,
    answer12({ extensions: [5, 11, 23, 35, 0xff01].map((type) => extension(type)) }),
    null,
  ],
  [
    'renegotiation_info for its suite',
    { ...of12, version: 'SSLv3', suites: [0x0005] },
    { version: 0x0300, suite: 0x0005, extensions: [extension(0xff01, 0)] },
    null,
  ],
  ['a key for a key', of13, answer13(0x001d), null],
  ['a key without a key', of13, answer13(0x0017), 'keyless-group'],
  ['a request for another key', of13, answer13(0x0017, { random: retryRandom }), null],
  ['a request for the same key', of13, answer13(0x001d, { random: retryRandom }), 'retried-group'],
  ['a request for a group not offered', of13, answer13(0x0018, { random: retryRandom }), 'group'],
  [
    'a request with a cookie',
    of13,
    answer13(0, { random: retryRandom, extensions: [extension(43, 3, 4), extension(44, 0, 1, 9)] }),
    null,
  ],
  ['another session id', of13, answer13(0x001d, { sessionId: new Uint8Array(32) }), 'session-id'],
] as const satisfies readonly (readonly [string, ClientHello, WrittenFlight, string | null])[])(
  '%s',
  ([, hello, flight, what]) => {
    const reader = openFlightReader(65_536);
    reader.readTo(writeServerFlight(flight));
    const answer = reader.answer();
    if (answer.kind !== 'flight') throw new Error(`no flight but ${JSON.stringify(answer)}`);
    const found = findNotOffered(answer, readSentHello(writeClientHello(hello)));
    expect(found?.what ?? null).toBe(what);
  },
);

const fault = { what: 'group', chosen: 0x11ec } as const;
const faulty = (suite: number) => accepts(suite, { group: 0x11ec, notOffered: fault });
const notOffered = [{ version: 'TLSv1.2', ...fault }] as const;
const seen12 = (...answers: Parameters<typeof question>[2] & {}): Partial<SslEvidence> => ({
  notOffered,
  questions: asked(question('TLSv1.2', 'sound', answers)),
});
const clientOf = (name: string, change: Partial<SslEvidence>) =>
  simulateClients(readFacts(evidenceOf(change))).find((one) => one.name === name);
const reason = 'the server chooses a group that the client did not offer';

test('a version in which every answer is refused is not offered, and its clients do not connect', () => {
  const change = seen12(faulty(0xc02b), faulty(0xc02c));
  const { protocols, suites } = readFacts(evidenceOf(change));
  expect(protocols).toMatchObject({ 'TLSv1.2': false, 'TLSv1.3': true });
  expect(suites.filter(({ version }) => version === 'TLSv1.2')).toEqual([]);
  expect(clientOf('Java 8u161', change)).toMatchObject({ connects: false, protocol: 'TLSv1.2', reason });
  expect(clientOf('Chrome 131 and later', change)).toMatchObject({ connects: true, protocol: 'TLSv1.3' });
});

test('where the rest was not asked for, that changes nothing', () => {
  const end = { kind: 'stopped', reason: 'no connections were left' } as const;
  const change = { notOffered, questions: asked(question('TLSv1.2', 'sound', [faulty(0xc02b)], end)) };
  expect(readFacts(evidenceOf(change)).protocols['TLSv1.2']).toBe(false);
  const silent = {
    notOffered,
    questions: asked(question('TLSv1.2', 'sound', [faulty(0xc02b)], { kind: 'silent' })),
  };
  expect(readFacts(evidenceOf(silent)).protocols['TLSv1.2']).toBe(null);
});

test('a suite that is also chosen properly is accepted', () => {
  const change = seen12(accepts(0xc02b), faulty(0xc02b), accepts(0xc02c));
  expect(readFacts(evidenceOf(change)).known.unusable).toEqual([]);
  expect(clientOf('Java 8u161', change)).toMatchObject({ connects: true });
});

test('where one suite is refused and another is not, the order of the server decides', () => {
  const change = seen12(faulty(0xc02b), accepts(0xc02c));
  const over = (suite: number, other: number) => [{ version: 'TLSv1.2', suite, over: [other] } as const];
  const first = { ...change, choices: over(0xc02b, 0xc02c) };
  const second = { ...change, choices: over(0xc02c, 0xc02b) };
  expect(clientOf('Java 8u161', first)).toMatchObject({ connects: false, reason });
  expect(clientOf('Java 8u161', second)).toMatchObject({ connects: true });
  expect(clientOf('Java 8u161', { ...change, choices: [], preference: null })).toMatchObject({
    connects: null,
  });
});

test('what a client was answered is told by its reason', () => {
  const answers = [
    { kind: 'refused', by: 'not-offered', suite: 0xc02b, group: 0x11ec, notOffered: fault },
    faulty(0xc02b),
  ] as const;
  for (const answer of answers) {
    const version = answer.kind === 'accepted' ? ('TLSv1.2' as const) : null;
    const change = { notOffered, clients: [{ hello: 'chrome', version, answer }] };
    expect(clientOf('Chrome 131 and later', change)).toMatchObject({ connects: false, suite: null, reason });
  }
});

test('of evidence that did not compare, nothing is told', () => {
  const { notOffered: _, ...older } = evidenceOf();
  expect(assessSsl(older).verdicts['tls-answer-not-offered']).toHaveProperty('notTested');
  expect(assessSsl(evidenceOf()).verdicts['tls-answer-not-offered']).toBe('holds');
});

test('a good server chooses nothing that was not offered', async () => {
  const { evidence } = await runOnPaper({
    tls12: [0xc02b, 0xc02c, 0xcca9, 0xc009, 0x009e],
    tls13: [0x1302, 0x1303, 0x1301],
    groups: [0x11ec, 0x001d, 0x0017],
  });
  expect(evidence.notOffered).toEqual([]);
  expect(JSON.stringify(evidence.questions)).not.toContain('notOffered');
});

test.for([
  [{ what: 'suite', chosen: 0xc02b }, 'the suite TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256'],
  [{ what: 'suite', chosen: 0x1234 }, 'the suite 0x1234'],
  [{ what: 'suite-of-other-version', chosen: 0x1301 }, 'the suite TLS_AES_128_GCM_SHA256 of another version'],
  [{ what: 'group', chosen: 0x11ec }, 'the group X25519MLKEM768'],
  [
    { what: 'keyless-group', chosen: 23 },
    'a key for the group secp256r1, for which the ClientHello had no key',
  ],
  [
    { what: 'retried-group', chosen: 23 },
    'a HelloRetryRequest for the group secp256r1, for which the ClientHello had a key',
  ],
  [{ what: 'signature-scheme', chosen: 0x0201 }, 'the signature scheme 0x0201'],
  [{ what: 'compression', chosen: 1 }, 'the compression method 1'],
  [{ what: 'alpn', chosen: 'spdy/3' }, 'the protocol “spdy/3”'],
  [{ what: 'alpn-list', chosen: 'h2' }, '“h2” and more protocols, where one may be chosen'],
  [{ what: 'extension', chosen: 22 }, 'the extension 22'],
  [{ what: 'session-id', chosen: null }, 'another session id than it was sent'],
] as const)('%j is named', ([found, name]) => {
  expect(nameNotOffered(found)).toBe(name);
  expect(whyRefused(found)).toMatch(/^the server chooses .* that the client did not offer$/);
});
