import type { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KeyAndCertificate } from '../kit/certificates.ts';
import { type MailServer, reply, type Script } from './mail-server.ts';
import { type MailWorld, openMailWorld } from './world.ts';

const host = 'mx.mail.test';
let world: MailWorld;
let server: MailServer;
let good: KeyAndCertificate;
beforeAll(async () => {
  world = await openMailWorld({
    'mail.test': { MX: [{ preference: 10, exchange: host }] },
    [host]: { A: ['127.0.0.46'] },
  });
  good = await world.authority.issue([host]);
  server = await world.serve(46, {});
});
afterAll(() => world.close());

/** Writes as fast as the other side reads, until it hangs up. */
function pour(stream: Writable, text: string): void {
  const chunk = text.repeat(Math.ceil(65_536 / text.length));
  const more = () => {
    while (stream.writable && stream.write(chunk, 'latin1'));
  };
  stream.on('drain', more).on('error', () => undefined);
  more();
}

const tooMany = '421 4.7.0 too many connections from your network\r\n';
const encrypted = () => ({ tls: good });

type Row = {
  readonly name: string;
  readonly script: () => Script;
  /** What the second connection meets. */
  readonly later?: () => Script;
  readonly startTls: 'ok' | 'unknown' | 'refused';
  readonly broken: readonly string[];
};

/** Hosts that are busy, careful or cross with us: none of it says that they do not encrypt. */
const rows: readonly Row[] = [
  ...['450 4.3.2 grey list, try again', '451 4.7.1 try later', '421 closing'].flatMap((words): Row[] => [
    {
      name: `${words}, in place of a greeting`,
      script: () => ({ greeting: `${words}\r\n` }),
      startTls: 'unknown',
      broken: ['mail-host-declined'],
    },
    {
      name: `${words}, in place of an answer to EHLO`,
      script: () => ({ ehlo: `${words}\r\n` }),
      startTls: 'unknown',
      broken: ['mail-host-declined'],
    },
    {
      name: `${words}, in place of an answer to STARTTLS`,
      script: () => ({ startTls: `${words}\r\n` }),
      startTls: 'refused',
      broken: [],
    },
  ]),
  {
    name: 'a list of bad senders, in several lines',
    script: () => ({ greeting: reply(554, ['5.7.1 your address is listed', 'see https://list.test/']) }),
    startTls: 'unknown',
    broken: ['mail-host-declined'],
  },
  {
    name: 'silence after EHLO',
    script: () => ({ ehlo: '' }),
    startTls: 'unknown',
    broken: ['mail-host-declined'],
  },
  {
    name: 'an end after EHLO',
    script: () => ({
      raw: (socket) => void socket.once('data', () => socket.end()).write('220 mx.test\r\n'),
    }),
    startTls: 'unknown',
    broken: ['mail-host-declined'],
  },
  {
    name: 'a reset after EHLO',
    script: () => ({
      raw: (socket) => void socket.once('data', () => socket.resetAndDestroy()).write('220 mx.test\r\n'),
    }),
    startTls: 'unknown',
    broken: ['mail-host-declined'],
  },
  {
    name: 'an answer to EHLO that stops in the middle, before it would offer STARTTLS',
    script: () => ({ ehlo: '250-mx.test\r\n250-SIZE 1000\r\n' }),
    startTls: 'unknown',
    broken: ['mail-host-declined'],
  },
  {
    name: 'a handshake that fails, then too many connections',
    script: () => ({ inPlace: (socket) => void socket.resetAndDestroy() }),
    later: () => ({ greeting: tooMany }),
    startTls: 'unknown',
    broken: [],
  },
  {
    name: 'a handshake that fails, then an end before a word',
    script: () => ({ inPlace: (socket) => void socket.end() }),
    later: () => ({ raw: (socket) => void socket.end() }),
    startTls: 'unknown',
    broken: [],
  },
  {
    name: 'a handshake that fails once',
    script: () => ({ inPlace: (socket) => void socket.resetAndDestroy() }),
    later: encrypted,
    startTls: 'ok',
    broken: [],
  },
  {
    name: 'a handshake that fails, then no offer: something on the way, or another server of a pool',
    script: () => ({ inPlace: (socket) => void socket.resetAndDestroy() }),
    later: () => ({ extensions: ['SIZE 1000'] }),
    startTls: 'unknown',
    broken: [],
  },
  {
    name: 'a good host that does not want to be asked for old versions',
    script: encrypted,
    later: () => ({ greeting: tooMany }),
    startTls: 'ok',
    broken: [],
  },
  {
    name: 'silence behind the handshake',
    script: () => ({ tls: good, inTls: () => undefined }),
    startTls: 'ok',
    broken: [],
  },
  {
    name: 'an end behind the handshake',
    script: () => ({ tls: good, inTls: (tls) => void tls.destroy() }),
    startTls: 'ok',
    broken: [],
  },
  {
    name: 'replies without end behind the handshake',
    script: () => ({ tls: good, inTls: (tls) => pour(tls, '250-more\r\n') }),
    startTls: 'ok',
    broken: [],
  },
  {
    name: 'a line without end behind the handshake',
    script: () => ({ tls: good, inTls: (tls) => pour(tls, 'x') }),
    startTls: 'ok',
    broken: [],
  },
];

test.for(rows)('$name is never told as no STARTTLS', async ({ script, later, startTls, broken }) => {
  server.serve(script(), later?.());
  const before = process.threadCpuUsage();
  const seen = await world.checkAnew('mail.test');
  const { user, system } = process.threadCpuUsage(before);
  expect(seen.broken).toEqual(broken);
  expect(seen.addresses[0]).toMatchObject({ startTls });
  expect(seen.evidence.connections).toBeLessThanOrEqual(2);
  expect((user + system) / 1000).toBeLessThan(1500);
  const untested = ['starttls-missing', 'starttls-broken'].filter((code) => seen.notTested.has(code));
  expect(untested.length > 0 || startTls === 'ok').toBe(true);
});

test('old versions of a host that did not talk again are not known', async () => {
  server.serve({ tls: good }, { greeting: tooMany });
  const { addresses, notTested } = await world.checkAnew('mail.test');
  expect(addresses[0]).toMatchObject({ oldVersions: 'unknown' });
  expect(notTested.get('smtp-tls-old-versions')).toBe(`${host}: the host did not talk to us again`);
});
