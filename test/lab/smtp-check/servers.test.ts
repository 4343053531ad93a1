import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MailServer, reply, type Script } from './mail-server.ts';
import { type MailWorld, openMailWorld } from './world.ts';

const hosts = ['a', 'b'] as const;
const addressOf = { a: '127.0.0.21', b: '127.0.0.22' } as const;
const lastOf = { a: 21, b: 22 } as const;

let world: MailWorld;
let servers: { readonly [H in (typeof hosts)[number]]: MailServer };
let good: { readonly key: string; readonly cert: string };
let selfMade: { readonly key: string; readonly cert: string };

const zone = {
  'mail.test': { MX: [{ preference: 10, exchange: 'a.mail.test' }] },
  'a.mail.test': { A: [addressOf.a] },
  'two.test': {
    MX: [
      { preference: 10, exchange: 'a.mail.test' },
      { preference: 20, exchange: 'b.mail.test' },
    ],
  },
  'b.mail.test': { A: [addressOf.b] },
  'null.test': { MX: [{ preference: 0, exchange: '.' }] },
  'implicit.test': { A: [addressOf.a] },
  'gone.test': { MX: [{ preference: 10, exchange: 'gone.mail.test' }], A: [addressOf.a] },
  'gone.mail.test': { A: ['127.0.0.29'] },
  'half.test': { MX: [{ preference: 10, exchange: 'half.mail.test' }] },
  'half.mail.test': { A: [addressOf.a, '127.0.0.29'] },
};

beforeAll(async () => {
  world = await openMailWorld(zone);
  good = await world.authority.issue(['a.mail.test', 'b.mail.test']);
  selfMade = await world.authority.issue(['other.test']);
  servers = { a: await world.serve(lastOf.a, { tls: good }), b: await world.serve(lastOf.b, { tls: good }) };
});
afterAll(() => world.close());

type Case = {
  readonly name: string;
  readonly script: () => Script;
  readonly broken: readonly string[];
  readonly address: { readonly [field: string]: unknown };
};

const cases: readonly Case[] = [
  {
    name: 'a good server',
    script: () => ({ tls: good }),
    broken: [],
    address: {
      state: 'ok',
      startTls: 'ok',
      protocol: 'TLSv1.3',
      name: 'mx.lab.test',
      trust: { trusted: true, reason: null },
    },
  },
  {
    name: 'a certificate of nobody known is told, and costs nothing',
    script: () => ({ tls: selfMade }),
    broken: ['smtp-certificate-unverified'],
    address: { state: 'ok', startTls: 'ok', dane: { state: 'none', reason: null } },
  },
  {
    name: 'no STARTTLS',
    script: () => ({ extensions: ['SIZE 1', '8BITMIME'] }),
    broken: ['starttls-missing'],
    address: { state: 'ok', startTls: 'missing', extensions: ['SIZE 1', '8BITMIME'] },
  },
  {
    name: 'a server that knows no EHLO',
    script: () => ({ ehlo: '502 what?\r\n' }),
    broken: ['ehlo-unsupported', 'starttls-missing'],
    address: { state: 'ok', startTls: 'missing' },
  },
  {
    name: 'STARTTLS that ends in an alert',
    script: () => ({ tls: {} }),
    broken: ['starttls-broken'],
    address: { state: 'ok', startTls: 'broken' },
  },
  {
    name: 'STARTTLS, then silence',
    script: () => ({ inPlace: () => undefined }),
    broken: ['starttls-broken'],
    address: { startTls: 'broken' },
  },
  {
    name: 'STARTTLS, then garbage',
    script: () => ({ inPlace: (socket) => void socket.write('this is no TLS at all\r\n') }),
    broken: ['starttls-broken'],
    address: { startTls: 'broken' },
  },
  {
    name: 'no reply to STARTTLS',
    script: () => ({ startTls: null }),
    broken: ['starttls-broken'],
    address: { startTls: 'broken' },
  },
  {
    name: 'a permanent refusal of STARTTLS',
    script: () => ({ startTls: '554 5.7.3 cannot\r\n' }),
    broken: ['starttls-broken'],
    address: { startTls: 'refused', startTlsReason: 'it answers STARTTLS with 554 5.7.3 cannot' },
  },
  {
    name: '454 is a matter of the moment, and never a missing STARTTLS',
    script: () => ({ startTls: '454 TLS not available due to temporary reason\r\n' }),
    broken: [],
    address: { state: 'ok', startTls: 'refused' },
  },
  {
    name: 'too many connections',
    script: () => ({ greeting: '421 4.7.0 too many connections from your network\r\n' }),
    broken: ['mail-host-declined'],
    address: { state: 'temporary', startTls: 'unknown' },
  },
  {
    name: '554 in place of a greeting',
    script: () => ({ greeting: '554 no thanks\r\n' }),
    broken: ['mail-host-declined'],
    address: { state: 'refused', reason: 'it answers 554 no thanks', startTls: 'unknown' },
  },
  {
    name: '550 to EHLO is about us',
    script: () => ({ ehlo: '550 your name is not known\r\n' }),
    broken: ['mail-host-declined'],
    address: { state: 'refused', startTls: 'unknown' },
  },
  {
    name: 'a tarpit',
    script: () => ({ greeting: null }),
    broken: ['mail-host-declined'],
    address: { state: 'silent', startTls: 'unknown' },
  },
  {
    name: 'a door that is closed before a word',
    script: () => ({ raw: (socket) => void socket.end() }),
    broken: ['mail-host-declined'],
    address: { state: 'refused', startTls: 'unknown' },
  },
  {
    name: 'another protocol',
    script: () => ({ greeting: 'HTTP/1.1 400 Bad Request\r\n' }),
    broken: ['mail-host-not-smtp'],
    address: { state: 'unknown', startTls: 'unknown' },
  },
  {
    name: 'bytes between STARTTLS and the handshake are dropped and told',
    script: () => ({ tls: good, early: '250 injected\r\n' }),
    broken: ['starttls-early-bytes'],
    address: { startTls: 'ok' },
  },
  {
    name: 'STARTTLS inside TLS',
    script: () => ({ tls: good, extensionsAfter: ['SIZE 1', 'STARTTLS'] }),
    broken: ['starttls-offered-again'],
    address: { startTls: 'ok' },
  },
  {
    name: 'a greeting without a name',
    script: () => ({ tls: good, greeting: '220 **********\r\n' }),
    broken: ['greeting-name-missing'],
    address: { state: 'ok', name: null },
  },
  {
    name: 'a greeting of several lines',
    script: () => ({ tls: good, greeting: reply(220, ['one moment', 'mx.lab.test ESMTP']) }),
    broken: [],
    address: { state: 'ok', name: 'mx.lab.test' },
  },
  {
    name: 'nothing newer than TLS 1.1',
    script: () => ({
      tls: { ...good, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
    }),
    broken: ['smtp-tls12-missing'],
    address: { startTls: 'ok', protocol: 'TLSv1.1', oldVersions: 'accepted' },
  },
  {
    name: 'TLS 1.0 beside newer versions',
    script: () => ({ tls: { ...good, minVersion: 'TLSv1', ciphers: 'DEFAULT:@SECLEVEL=0' } }),
    broken: ['smtp-tls-old-versions'],
    address: { startTls: 'ok', protocol: 'TLSv1.3', oldVersions: 'accepted' },
  },
  {
    name: 'a server that refuses old versions',
    script: () => ({ tls: { ...good, minVersion: 'TLSv1.2' } }),
    broken: [],
    address: { oldVersions: 'refused' },
  },
];

describe('one server', () => {
  test.for(cases)('$name', async ({ script, broken, address }) => {
    servers.a.serve(script());
    const seen = await world.checkAnew('mail.test');
    expect(seen.broken).toEqual(broken);
    expect(seen.addresses[0]).toMatchObject(address);
  });
});

test('nobody ever sends mail, or asks for a mailbox', () => {
  const said = new Set([...servers.a.said, ...servers.b.said].map((line) => line.split(' ')[0]));
  expect([...said].sort()).toEqual(['EHLO', 'QUIT', 'STARTTLS']);
  expect(servers.a.said).toContain('EHLO probe.lab.test');
});

describe('several hosts', () => {
  test('a host without encryption beside a good one', async () => {
    servers.a.serve({ tls: good });
    servers.b.serve({ extensions: [] });
    const { broken, report } = await world.checkAnew('two.test');
    expect(broken).toEqual(['mail-hosts-differ', 'starttls-missing']);
    expect(report.state).toBe('complete');
    expect(report.score).toBe(80);
  });

  test('a host that declines leaves its rules untested, and what the other shows holds for it alone', async () => {
    servers.a.serve({ tls: good });
    servers.b.serve({ greeting: '450 4.3.2 try again\r\n' });
    const { broken, notTested, report } = await world.checkAnew('two.test');
    expect(broken).toEqual(['mail-host-declined']);
    expect(notTested.get('starttls-missing')).toBe('b.mail.test: it answers 450 4.3.2 try again');
    expect(report.state).toBe('partial');
  });

  test('an address that accepts no connection, where others of this network do', async () => {
    servers.a.serve({ tls: good });
    const { broken } = await world.checkAnew('half.test');
    expect(broken).toEqual(['mail-host-address-unreachable', 'smtp-certificate-unverified']);
  });
});

describe('domains without a host that answers', () => {
  test('a null MX has nothing to test', async () => {
    const { report, broken } = await world.checkAnew('null.test');
    expect(broken).toEqual([]);
    expect(report).toMatchObject({ nullMx: true, hosts: [], score: null, state: 'complete' });
  });

  test('without MX the domain itself is asked', async () => {
    servers.a.serve({ tls: good });
    const { report } = await world.checkAnew('implicit.test');
    expect(report).toMatchObject({ implicit: true, hosts: [{ host: 'implicit.test', preference: 0 }] });
  });

  test('silence of the only host is not held against it while nobody else was heard', async () => {
    const { broken, notTested, report } = await world.checkAnew('gone.test');
    expect(broken).toEqual([]);
    expect(notTested.get('mail-host-unreachable')).toBe('gone.mail.test: the connection was refused');
    expect(report).toMatchObject({ state: 'unreachable', score: null });
  });
});
