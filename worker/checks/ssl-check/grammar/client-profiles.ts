import type { VersionName } from './tls-names.ts';

/** What a client offers, as far as the choice of a server depends on it. */
export type ClientProfile = {
  readonly name: string;
  /** Browsers of today: what a public site must serve. */
  readonly isCurrentBrowser: boolean;
  readonly versions: readonly VersionName[];
  /** In the client's order. */
  readonly suites: readonly number[];
  readonly groups: readonly number[];
  readonly offersHttp: boolean;
};

const modern = ['TLSv1.2', 'TLSv1.3'] as const;
const untilTls13 = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;
const untilTls12 = ['TLSv1', 'TLSv1.1', 'TLSv1.2'] as const;
const tls10 = ['TLSv1'] as const;

const hybrid = 0x11ec;
const x25519 = 0x001d;
const p256 = 0x0017;
const p384 = 0x0018;
const p521 = 0x0019;
const x448 = 0x001e;
const primes = [0x0100, 0x0101] as const;

/** Suites as four hex digits each. */
const ids = (text: string) => text.split(' ').map((id) => Number.parseInt(id, 16));

const chromium = ids('1301 1302 1303 c02b c02f c02c c030 cca9 cca8 c013 c014 009c 009d 002f 0035');
const firefox = ids('1301 1303 1302 c02b c02f cca9 cca8 c02c c030 c00a c009 c013 c014 009c 009d 002f 0035');
const safari = ids(
  '1301 1302 1303 c02c c02b cca9 c030 c02f cca8 c00a c009 c014 c013 009d 009c 0035 002f c008 c012 000a',
);
const openssl12 =
  'c02c c030 009f cca9 cca8 ccaa c02b c02f 009e c024 c028 006b c023 c027 0067 c00a c014 0039 c009 c013 0033 009d 009c 003d 003c 0035 002f';
const openssl = ids(`1302 1303 1301 ${openssl12}`);
const openssl10 = ids(
  'c030 c02c c028 c024 c014 c00a 009f 006b 0039 009d 003d 0035 c02f c02b c027 c023 c013 c009 009e 0067 0033 009c 003c 002f c012 c008 0016 000a',
);
const java8 = ids(
  'c024 c028 003d 006b c00a c014 0035 0039 c023 c027 003c 0067 c009 c013 002f 0033 c02c c02b c030 009d 009f c02f 009c 009e c008 c012 000a 0016',
);
const java17 = ids(
  '1302 1301 1303 c02c c02b cca9 c030 cca8 c02f 009f ccaa 009e c024 c028 c023 c027 006b 0067 c00a c014 c009 c013 0039 0033 009d 009c 003d 003c 0035 002f',
);

const browser = (name: string, suites: readonly number[], groups: readonly number[]): ClientProfile => ({
  name,
  isCurrentBrowser: true,
  versions: modern,
  suites,
  groups,
  offersHttp: true,
});
const client = (
  name: string,
  versions: readonly VersionName[],
  suites: readonly number[],
  groups: readonly number[],
): ClientProfile => ({ name, isCurrentBrowser: false, versions, suites, groups, offersHttp: false });

/** Clients that are simulated, by the defaults of their TLS libraries: browsers of today first, then from new to old. */
export const clientProfiles: readonly ClientProfile[] = [
  browser('Chrome 131 and later', chromium, [hybrid, x25519, p256, p384]),
  browser('Firefox 132 and later', firefox, [hybrid, x25519, p256, p384, p521, ...primes]),
  browser('Safari 26, iOS 26', safari, [hybrid, x25519, p256, p384, p521]),
  browser('Safari 17, iOS 17', safari, [x25519, p256, p384, p521]),
  client('OpenSSL 3.5', modern, openssl, [hybrid, x25519, p256, x448, p384, p521, ...primes]),
  client('OpenSSL 3.0', modern, openssl, [x25519, p256, x448, p521, p384, ...primes]),
  client('OpenSSL 1.1.1', untilTls13, openssl, [x25519, p256, x448, p521, p384]),
  client('OpenSSL 1.0.2', untilTls12, openssl10, [p256, p521, p384]),
  client('OpenSSL 0.9.8', tls10, ids('0039 0035 0016 000a 0033 002f 0005 0004'), []),
  client('Java 17 and later', modern, java17, [x25519, p256, p384, p521, x448, ...primes]),
  client(
    'Java 11',
    modern,
    java17.filter((id) => id !== 0x1303),
    [p256, p384, p521, ...primes],
  ),
  client('Java 8', untilTls12, java8, [p256, p384, p521]),
  client('Java 7', tls10, ids('c009 c013 002f 0033 c007 c011 0005 c008 c012 000a 0016 0004'), [
    p256,
    p384,
    p521,
  ]),
  client('Android 10', untilTls13, chromium, [x25519, p256, p384]),
  client(
    'Android 7',
    untilTls12,
    ids('cca9 cca8 c02b c02c c02f c030 c009 c00a c013 c014 009c 009d 002f 0035'),
    [p256],
  ),
  client(
    'Android 4.4',
    untilTls12,
    ids(
      'c030 c02c c014 c00a 009f 006b 0039 009d 003d 0035 c012 c008 0016 000a c02f c02b c027 c023 c013 c009 009e 0067 0033 009c 003c 002f c011 c007 0005 0004',
    ),
    [p256, p384, p521],
  ),
  client(
    'iOS 9',
    untilTls12,
    ids('c02c c02b c024 c023 c00a c009 c030 c02f c028 c027 c014 c013 009d 009c 003d 003c 0035 002f'),
    [p256, p384, p521],
  ),
  client(
    'Internet Explorer 11, Windows 10',
    untilTls12,
    ids(
      'c030 c02f 009f 009e c028 c027 c014 c013 c02c c02b c024 c023 c00a c009 009d 009c 003d 003c 0035 002f 000a',
    ),
    [x25519, p256, p384],
  ),
  client(
    'Internet Explorer 11, Windows 7',
    untilTls12,
    ids('c028 c027 c014 c013 009f 009e 009d 009c 003d 003c 0035 002f c02c c02b c024 c023 c00a c009 000a'),
    [p256, p384],
  ),
];
