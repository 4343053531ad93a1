import { expect, test } from 'vitest';
import { assessSsl } from '../../../worker/checks/ssl-check/assess.ts';
import { suites } from '../../../worker/checks/ssl-check/grammar/suites.ts';
import { type PaperServer, runOnPaper } from './run-on-paper.ts';

/** In the order in which OpenSSL has them: by exchange, then by kind of encryption, then the longest keys first. */
const idsOf = (pattern: RegExp) =>
  [...suites.values()]
    .filter(({ name }) => pattern.test(name.slice(4)))
    .toSorted(
      (one, other) =>
        Number(one.keyExchange === 'RSA') - Number(other.keyExchange === 'RSA') ||
        Number(other.isAead) - Number(one.isAead) ||
        other.bits - one.bits,
    )
    .map(({ id }) => id);
/** Suites as hex digits. */
const ids = (text: string) => text.split(' ').map((id) => Number.parseInt(id, 16));
const rare = 'ARIA_..._GCM|CAMELLIA_..._CBC';
/** HIGH of OpenSSL 3, for certificates and primes as they are configured. */
const highOf = (exchanges: string) => idsOf(new RegExp(`^(?:${exchanges})_WITH_(?:AES|CHACHA20|${rare})`));
const tls13 = [0x1302, 0x1303, 0x1301];
const ofOpenssl = [0x001d, 0x0017, 0x001e, 0x0019, 0x0018, 0x0100, 0x0101, 0x0102, 0x0103, 0x0104];
const ofGo = [0x11ec, 0x001d, 0x0017, 0x0018, 0x0019];

type Row = readonly [name: string, server: PaperServer, isComplete: boolean];
const both = (name: string, server: PaperServer, isComplete: boolean): readonly Row[] => [
  [`${name}, by its own order`, server, isComplete],
  [`${name}, by the client’s order`, { ...server, order: 'client' }, isComplete],
];
const rows: readonly Row[] = [
  ...both(
    'careful',
    { tls12: idsOf(/^ECDHE_RSA_WITH_(?:AES_..._GCM|CHACHA)/), tls13, groups: ofOpenssl },
    true,
  ),
  ...both(
    'careful with both kinds of keys',
    { tls12: idsOf(/^ECDHE_(?:RSA|ECDSA)_WITH_(?:AES_..._GCM|CHACHA)/), tls13, groups: ofOpenssl },
    true,
  ),
  ...both(
    'Go',
    { tls12: idsOf(/^ECDHE_RSA_WITH_(?:AES_..._GCM_|AES_..._CBC_SHA$|CHACHA)/), tls13, groups: ofGo },
    true,
  ),
  ...both(
    'OpenSSL’s usual ones with RSA, 20',
    {
      tls12: idsOf(/^(?:ECDHE_|DHE_)?RSA_WITH_(?:AES_..._GCM|AES_..._CBC|CHACHA)/),
      tls13,
      groups: ofOpenssl,
    },
    true,
  ),
  [
    'Go, which heeds a client that puts ChaCha20 first',
    {
      tls12: [0xc02f, 0xc030, 0xcca8, 0xc013, 0xc014],
      tls13,
      groups: ofGo,
      order: 'server, with wishes',
    },
    true,
  ],
  [
    'GnuTLS, 18 without CBC of SHA-2, and TLS 1.0 and 1.1',
    {
      tls12: ids('c030 cca8 c02f c014 c013 9d c09d 9c c09c 35 2f 9f ccaa c09f 9e c09e 39 33'),
      tls13: [...tls13, 0x1304],
      groups: ofOpenssl,
      order: 'client',
      older: ids('c014 c013 35 2f 39 33'),
    },
    true,
  ],
  [
    'OpenSSL’s HIGH with RSA and no primes, 27, by the client’s order',
    { tls12: highOf('ECDHE_RSA|RSA'), tls13, groups: ofOpenssl, order: 'client' },
    true,
  ],
  // Every suite costs a connection, and three more tell how the lists follow each other.
  ['the same by its own order', { tls12: highOf('ECDHE_RSA|RSA'), tls13, groups: ofOpenssl }, false],
  ...both(
    'OpenSSL’s HIGH with RSA and primes, 44',
    { tls12: highOf('ECDHE_RSA|DHE_RSA|RSA'), tls13, groups: ofOpenssl },
    false,
  ),
  ...both(
    'OpenSSL’s HIGH with both kinds of keys, 42',
    { tls12: highOf('ECDHE_RSA|ECDHE_ECDSA|RSA'), tls13, groups: ofOpenssl },
    false,
  ),
];

test('a server that heeds a wish for ChaCha20 has an order of its own all the same', async () => {
  const { evidence } = await runOnPaper({
    tls12: [0xc02f, 0xc030, 0xcca8, 0xc013, 0xc014],
    tls13,
    groups: ofGo,
    order: 'server, with wishes',
    keyKind: 'RSA',
  });
  const { fields } = assessSsl(evidence);
  expect(fields.cipherPreference).toBe('server');
  const suiteOf = (name: string) => fields.clients?.find((client) => client.name === name)?.suite;
  // Both put the suite with the longer key before this one.
  expect(suiteOf('iOS 9')).toBe('TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256');
  expect(suiteOf('Internet Explorer 11, Windows 10')).toBe('TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256');
});

test.for(rows)('%s', async ([, server, isComplete]) => {
  const { evidence } = await runOnPaper({ ...server, keyKind: 'RSA' });
  const { fields } = assessSsl(evidence);
  const found = fields.suites.filter(({ versions }) => versions.includes('TLSv1.2')).length;
  expect(fields.suitesComplete).toBe(isComplete);
  expect(found === server.tls12.length).toBe(isComplete);
  expect(evidence.connections).toBeLessThanOrEqual(45);
});
