import { setDefaultCACertificates } from 'node:tls';
import { expect, test } from 'vitest';
import { extensionIds } from '../../../worker/certificates/grammar/certificate-extensions.ts';
import { openAllowance } from '../../../worker/checks/ssl-check/gather/allowance.ts';
import { openHelloAsker } from '../../../worker/checks/ssl-check/gather/ask-hello.ts';
import { askOnce, askSsl2 } from '../../../worker/checks/ssl-check/gather/ask-questions.ts';
import { askTls13 } from '../../../worker/checks/ssl-check/gather/ask-tls13.ts';
import { gatherSsl } from '../../../worker/checks/ssl-check/gather/gather-ssl.ts';
import { lanesOf, lanesOfRun, openLanes } from '../../../worker/checks/ssl-check/gather/lanes.ts';
import { openSuiteLedger } from '../../../worker/checks/ssl-check/gather/suite-ledger.ts';
import { walkSuites } from '../../../worker/checks/ssl-check/gather/walk-suites.ts';
import { suiteSets, suites } from '../../../worker/checks/ssl-check/grammar/suites.ts';
import type { Probes } from '../../../worker/probes/port.ts';
import type { Exchange, Handshake, HandshakeRequest } from '../../../worker/probes/tls/port.ts';
import { failed, intermediate, leafWith, root, connected as seenAs } from './evidence-of.ts';
import { type ReadHello, readClientHello } from './read-client-hello.ts';
import { type Reply, speaks } from './speaks.ts';
import { sequence } from './write-der.ts';
import { pointName } from './write-revocation-list.ts';
import { alertRecord, extension, writeServerFlight } from './write-server-flight.ts';

/** As the probe gives it: with a session. */
const connected = (): Handshake => {
  const { maxEarlyDataBytes: _, ...rest } = seenAs();
  return { ...rest, session: null, isResumed: false, renegotiation: null };
};

type Script = {
  readonly hello: (hello: ReadHello | null) => Reply;
  readonly handshake?: (request: HandshakeRequest) => Handshake;
};

function probesOf({ hello, handshake = () => connected() }: Script) {
  const seen = { open: 0, most: 0, hellos: 0, handshakes: [] as HandshakeRequest[] };
  const enter = async <T>(answer: () => T): Promise<T> => {
    seen.open += 1;
    seen.most = Math.max(seen.most, seen.open);
    await new Promise((resolve) => setImmediate(resolve));
    seen.open -= 1;
    return answer();
  };
  const exchange = (send: Uint8Array): Exchange => {
    seen.hellos += 1;
    const reply = hello(readClientHello(send));
    if (reply === 'refused')
      return { kind: 'failure', code: 'connection-refused', reason: 'refused', address: '192.0.2.1' };
    const bytes = typeof reply === 'string' ? new Uint8Array(0) : reply;
    return {
      kind: 'received',
      bytes,
      ended: typeof reply === 'string' ? reply : 'complete',
      address: '192.0.2.1',
      ms: 3,
    };
  };
  const probes: Probes = {
    policy: { addresses: { allow: [], deny: [] }, allowedSuffixes: ['test'], ports: [] },
    browser: {} as Probes['browser'],
    udp: {} as Probes['udp'],
    work: {} as Probes['work'],
    tls: {
      exchange: ({ send }) => enter(() => exchange(send)),
      handshake: (request) =>
        enter(() => {
          seen.handshakes.push(request);
          return handshake(request);
        }),
      addresses: async () => ['192.0.2.1'],
      connections: () => 0,
    },
    http: {
      ask: ({ url }) =>
        enter(() => ({ kind: 'failure', url, code: 'not-http', reason: 'no HTTP', address: null })),
    },
    dns: {
      ask: async (question) => ({
        kind: 'failure',
        question,
        code: 'timeout',
        reason: 'no answer',
        server: '192.0.2.53',
      }),
    },
  };
  return { probes, seen };
}

const gather = (probes: Probes) =>
  gatherSsl({ target: 'a.test', options: { port: '443' }, probes, progress: () => undefined });
const limits = {
  connections: 30,
  kept: 0,
  timeMs: 12_000,
  answersByMs: 17_000,
  firstTimeoutMs: 5000,
  leastLingerMs: 15,
  silences: 3,
};
const askerOf = (script: Script) => {
  const { probes, seen } = probesOf(script);
  return {
    asker: openHelloAsker({
      probe: probes.tls,
      target: { host: 'a.test', port: 443 },
      allowance: openAllowance(limits, () => 0),
      lanes: openLanes(lanesOf(4)),
    }),
    seen,
  };
};

test('suites are asked for until the server refuses, each once', async () => {
  const { asker, seen } = askerOf({ hello: speaks([0xc02f, 0xc030, 0x009e], [], []) });
  const ledger = openSuiteLedger('TLSv1.2');
  await walkSuites({ asker, ledger }, suiteSets.sound);
  const { accepted, end } = ledger.questionOf('sound', 'with-suites');
  expect(accepted.map(({ suite }) => suite)).toEqual([0xc02f, 0xc030, 0x009e]);
  expect(accepted.map(({ dhBits }) => dhBits)).toEqual([null, null, 1024]);
  expect(end).toEqual({ kind: 'refused', by: 'alert', alert: 40 });
  expect(seen.hellos).toBe(4);
});

test('suites and groups of TLS 1.3 are learnt together', async () => {
  const tls13 = [0x1302, 0x1303, 0x1301];
  const groups = [0x11ec, 0x001d, 0x0017, 0x0018];
  const { asker, seen } = askerOf({ hello: speaks([], tls13, groups) });
  const found = await askTls13(asker, [], null);
  expect(found.ledger.accepted().map(({ suite }) => suite)).toEqual(tls13);
  expect(found.groups.accepted).toEqual(groups);
  expect(found.groups.end.kind).toBe('refused');
  // Suites and groups go side by side; each list that ends in a refusal costs one more.
  expect(seen.hellos).toBeLessThanOrEqual(10);
});

test('that there is no hybrid group is known before the primes are asked for', async () => {
  const groups = [0x001d, 0x0100, 0x0101, 0x0102, 0x0103];
  const { probes, seen } = probesOf({ hello: speaks([], [0x1302], groups) });
  const allowance = openAllowance({ ...limits, connections: 6 }, () => 0);
  const asker = openHelloAsker({
    probe: probes.tls,
    target: { host: 'a.test', port: 443 },
    allowance,
    lanes: openLanes(lanesOf(4)),
  });
  const found = await askTls13(asker, [], null);
  expect(seen.hellos).toBe(6);
  expect(found.groups.end.kind).toBe('refused');
  expect(found.groups.accepted.length).toBeLessThan(groups.length);
});

test('a server that always chooses the same is not asked for ever', async () => {
  const { asker, seen } = askerOf({
    hello: () => writeServerFlight({ version: 0x0303, suite: 0xc02f, done: true }),
  });
  const ledger = openSuiteLedger('TLSv1.2');
  await walkSuites({ asker, ledger }, suiteSets.sound);
  expect(ledger.questionOf('sound', 'with-suites').end.kind).toBe('stopped');
  expect(seen.hellos).toBe(2);
});

test('a lower version than the one offered is a refusal', async () => {
  const { asker } = askerOf({
    hello: () => writeServerFlight({ version: 0x0302, suite: 0x002f, done: true }),
  });
  expect((await askOnce(asker, 'TLSv1.2', 'sound')).end).toEqual({ kind: 'refused', by: 'other-version' });
});

test.for([
  ['closed', { kind: 'refused', by: 'closed' }],
  ['reset', { kind: 'refused', by: 'reset' }],
  ['timeout', { kind: 'silent' }],
  ['refused', { kind: 'failure', code: 'connection-refused', reason: 'refused' }],
] as const)('%s is told apart', async ([reply, end]) => {
  const { asker } = askerOf({ hello: () => reply });
  expect((await askOnce(asker, 'TLSv1', 'old')).end).toEqual(end);
});

test('plain HTTP is told from other talk', async () => {
  const text = (words: string) => ({ hello: () => new TextEncoder().encode(words) });
  const end = async (words: string) => (await askOnce(askerOf(text(words)).asker, 'TLSv1.2', 'sound')).end;
  expect(await end('HTTP/1.1 400 Bad Request\r\n')).toEqual({ kind: 'not-tls', isHttp: true });
  expect(await end('SSH-2.0-OpenSSH\r\n')).toEqual({ kind: 'not-tls', isHttp: false });
});

test('SSL 2.0 is seen by its own hello', async () => {
  const answer = Uint8Array.of(0x80, 14, 4, 0, 1, 0, 2, 0, 0, 0, 3, 0, 0, 1, 0, 128);
  const { asker } = askerOf({ hello: (hello) => (hello === null ? answer : 'closed') });
  expect((await askSsl2(asker)).accepted).toHaveLength(1);
});

test('a closed port costs one connection by each', async () => {
  const handshake = () => failed('', 'connection-refused');
  const { probes, seen } = probesOf({ hello: () => 'refused', handshake });
  const evidence = await gather(probes);
  expect(evidence).toMatchObject({ connections: 2, handshakes: [] });
  expect(seen.hellos).toBe(1);
});

test('a first ClientHello that was turned away for the handshake beside it is sent again', async () => {
  let hellos = 0;
  const answer = speaks([0xc02f], [], [0x001d]);
  const { probes } = probesOf({
    hello: (hello) => (++hellos === 1 ? 'refused' : answer(hello)),
  });
  const { questions } = await gather(probes);
  expect(questions[0]).toMatchObject({ set: 'sound', accepted: [{ suite: 0xc02f }] });
});

test('a silent server costs one greeting by each', async () => {
  const { probes } = probesOf({ hello: () => 'timeout', handshake: () => failed('', 'tls-timeout') });
  expect(await gather(probes)).toMatchObject({ connections: 2 });
});

test('a server that knows everything is asked at most 45 times, sixteen at once, and the handshakes have their turn', async () => {
  const everything = [...suites.keys()];
  const { probes, seen } = probesOf({ hello: speaks(everything, everything, [0x11ec, 0x001d]) });
  const evidence = await gather(probes);
  expect(evidence.connections).toBeLessThanOrEqual(45);
  expect(seen.most).toBeLessThanOrEqual(lanesOfRun.most);
  expect(evidence.withoutName).not.toBeNull();
  expect(seen.handshakes.map(({ servername }) => servername)).toEqual(['a.test', null, 'a.test', 'a.test']);
  expect(seen.handshakes.map(({ renegotiateForMs }) => renegotiateForMs !== undefined)).toEqual([
    false,
    false,
    true,
    false,
  ]);
});

test.for([
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'tls-failed', ['modern', 'legacy']],
  ['ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL', 'tls-failed', ['modern', 'without-alpn']],
  ['', 'tls-timeout', ['modern', 'small']],
] as const)('after %s (%s) the offers are %j', async ([opensslCode, code, offers]) => {
  let isFirst = true;
  const handshake = () => {
    if (!isFirst) return connected();
    isFirst = false;
    return failed(opensslCode, code);
  };
  const { probes } = probesOf({ hello: speaks([0xc02f], [0x1302], [0x001d]), handshake });
  const { handshakes } = await gather(probes);
  expect(handshakes.map(({ offer }) => offer)).toEqual(offers);
});

test.for([
  ['goes on', 1000, true],
  ['has had enough', 8, false],
] as const)('a server that resets old versions and %s is told', async ([, patience, stillAnswers]) => {
  let greetings = 0;
  const speak = speaks([0xc02f], [0x1302], [0x001d]);
  const hello = (read: ReadHello | null) => {
    greetings += 1;
    return greetings > patience || read === null || read.version < 0x0303 ? 'reset' : speak(read);
  };
  expect((await gather(probesOf({ hello }).probes)).stillAnswers).toBe(stillAnswers);
});

test('of a session only the room for early data is kept', async () => {
  const fields = [
    2,
    1,
    1,
    2,
    2,
    3,
    4,
    4,
    2,
    0x13,
    2,
    4,
    1,
    0,
    4,
    0x81,
    0xff,
    ...new Uint8Array(255),
    0xaf,
    4,
    2,
    2,
    0x40,
    0,
  ];
  const session = Buffer.from([0x30, 0x82, fields.length >> 8, fields.length & 0xff, ...fields]).toString(
    'base64',
  );
  const { probes } = probesOf({
    hello: speaks([0xc02f], [0x1302], [0x001d]),
    handshake: () => ({ ...connected(), session }) as Handshake,
  });
  const evidence = await gather(probes);
  expect(evidence.handshakes[0]?.handshake).toMatchObject({ maxEarlyDataBytes: 0x4000 });
  expect(JSON.stringify(evidence)).not.toContain(session);
});

test('the list of revoked certificates is asked for beside the other questions, of the leaf that clients are shown', async () => {
  const url = 'http://crl.test/1';
  const points = [{ id: extensionIds.revocationLists, value: sequence(sequence(pointName(url))) }];
  setDefaultCACertificates([root.certPem]);
  const lasting = leafWith({ extensions: points, notAfter: '2040-01-01T00:00:00' });
  const certificates = [lasting.base64, intermediate.base64];
  const { probes, seen } = probesOf({
    hello: speaks([0xc02f], [0x1302], [0x001d]),
    handshake: () => ({ ...connected(), certificates }) as Handshake,
  });
  let hellosBefore = Number.POSITIVE_INFINITY;
  const http: Probes['http'] = {
    async ask({ url: asked }) {
      if (asked === url) hellosBefore = Math.min(hellosBefore, seen.hellos);
      return { kind: 'failure', url: asked, code: 'not-http', reason: 'no HTTP', address: null };
    },
  };
  const { revocationList } = await gather({ ...probes, http });
  expect(revocationList).toEqual({ kind: 'unknown', url, reason: 'the CRL could not be fetched: no HTTP' });
  expect(hellosBefore).toBeLessThan(seen.hellos);
});

test('the evidence is JSON', async () => {
  const { probes } = probesOf({ hello: speaks([0xc02f], [0x1302], [0x001d]) });
  const evidence = await gather(probes);
  expect(JSON.parse(JSON.stringify(evidence))).toEqual(evidence);
});

test('time runs out, and the rest is not asked', () => {
  let now = 0;
  const allowance = openAllowance({ ...limits, timeMs: 10 }, () => now);
  expect(allowance.take()).toBeNull();
  now = 11;
  expect(allowance.take()).toBe('there was no time left');
});

test('waiting adapts to the server, between one and a half seconds and five', () => {
  const allowance = openAllowance(limits, () => 0);
  expect(allowance.timeoutMs()).toBe(5000);
  allowance.noteAnswer(20);
  expect(allowance.timeoutMs()).toBe(1500);
  allowance.noteAnswer(300);
  expect(allowance.timeoutMs()).toBe(3000);
  allowance.noteAnswer(2000);
  expect(allowance.timeoutMs()).toBe(5000);
});

test('tickets are waited for by two answers and a little, and for a second at most', () => {
  const allowance = openAllowance(limits, () => 0);
  expect(allowance.lingerMs(0)).toBe(15);
  expect(allowance.lingerMs(20)).toBe(55);
  allowance.noteAnswer(30);
  expect(allowance.lingerMs(0)).toBe(75);
  allowance.noteAnswer(2000);
  expect(allowance.lingerMs(0)).toBe(1000);
});

test('three silences are enough', () => {
  const allowance = openAllowance(limits, () => 0);
  for (let times = 0; times < 3; times += 1) allowance.noteSilence();
  expect(allowance.take()).toBe('the server stopped answering');
});

test('a server that refuses h2 and http/1.1 is asked without them, and its versions are known', async () => {
  const speak = speaks([0xc02f], [0x1302], [0x001d]);
  const hello = (read: ReadHello | null) =>
    read?.extensions.includes(16) ? alertRecord(2, 120) : speak(read);
  const evidence = await gather(probesOf({ hello }).probes);
  expect(evidence.alpnRefused).toBe(true);
  expect(
    evidence.questions.filter(({ accepted }) => accepted.length > 0).map(({ version }) => version),
  ).toEqual(['TLSv1.2', 'TLSv1.3']);
});

test.for([
  ['server', (read: ReadHello) => [0xc02b, 0xc02f].find((id) => read.suites.includes(id))],
  ['client', (read: ReadHello) => read.suites.find((id) => id === 0xc02b || id === 0xc02f)],
] as const)('the order of the %s is seen', async ([preference, choose]) => {
  const hello = (read: ReadHello | null) => {
    const suite = read === null || read.version !== 0x0303 ? undefined : choose(read);
    return suite === undefined
      ? alertRecord(2, 40)
      : writeServerFlight({ version: 0x0303, suite, group: 0x001d, done: true });
  };
  expect((await gather(probesOf({ hello }).probes)).preference).toBe(preference);
});

test('a version that does not exist is told with its number', async () => {
  const hello = () =>
    writeServerFlight({ version: 0x0305, suite: 0x1302, extensions: [extension(43, 3, 5)] });
  const { questions } = await gather(probesOf({ hello }).probes);
  expect(questions[0]?.end).toEqual({ kind: 'refused', by: 'unknown-version', version: 0x0305 });
});

test('handshakes that fail are kept in the evidence', async () => {
  const handshake = () => failed('ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE');
  const { probes } = probesOf({ hello: speaks([0xc02f], [0x1302], [0x001d]), handshake });
  const { handshakes, withoutName } = await gather(probes);
  expect(handshakes.map(({ offer }) => offer)).toEqual(['modern', 'legacy']);
  expect(withoutName).toBeNull();
});
