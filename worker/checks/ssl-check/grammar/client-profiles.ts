import type { VersionName } from './tls-names.ts';

/** The day of the captures that the profiles were compared with. */
export const profilesCapturedOn = '2026-06-25';

/**
 * What a client offers, as far as the choice of a server depends on it.
 * Each was compared with a ClientHello that was captured from that client: `capture` is its name in the client simulations of testssl.sh
 * (github.com/testssl/testssl.sh, etc/client-simulation.txt of 2026-06-25; those of old clients come from SSL Labs).
 * Left out of the suites: those that are not asked for, such as PSK and fixed DH.
 */
export type ClientProfile = {
  readonly name: string;
  readonly capture: string;
  /** Browsers of today: what a public site must serve. */
  readonly isCurrentBrowser: boolean;
  readonly versions: readonly VersionName[];
  /** In the client's order. */
  readonly suites: readonly number[];
  readonly groups: readonly number[];
  readonly offersHttp: boolean;
  /** Profiles with the same word send the same ClientHello, but for the protocols behind TLS. */
  readonly hello: string;
  /** Its ClientHello is sent: early for browsers of today, for the others as far as connections allow. */
  readonly matters: boolean;
  /** In a signature_algorithms extension; those of clients before TLS 1.2 are not asked. */
  readonly signatures: readonly number[];
  /** Groups that the hello brings keys for; empty before TLS 1.3. */
  readonly keysFor: readonly number[];
  /** Offers values that mean nothing, as RFC 8701 asks of clients. */
  readonly greases: boolean;
};

/** The engines of today's browsers. */
export const engines = ['Chrome', 'Firefox', 'Safari'] as const;
export type Engine = (typeof engines)[number];

const modern = ['TLSv1.2', 'TLSv1.3'] as const;
const untilTls13 = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;
const untilTls12 = ['TLSv1', 'TLSv1.1', 'TLSv1.2'] as const;
const tls10 = ['SSLv3', 'TLSv1'] as const;

/** X25519MLKEM768: its key alone has 1,216 bytes, so a hello that brings one needs two TCP segments. */
export const hybridGroup = 0x11ec;
const x25519 = 0x001d;
const p256 = 0x0017;
const p384 = 0x0018;
const p521 = 0x0019;
const x448 = 0x001e;
const smallPrimes = [0x0100, 0x0101] as const;
const primes = [...smallPrimes, 0x0102, 0x0103, 0x0104] as const;

/** Suites as four hex digits each. */
const ids = (text: string) => text.split(' ').map((id) => Number.parseInt(id, 16));

const chromium = ids('1301 1302 1303 c02b c02f c02c c030 cca9 cca8 c013 c014 009c 009d 002f 0035');
const firefox = ids('1301 1303 1302 c02b c02f cca9 cca8 c02c c030 c00a c009 c013 c014 009c 009d 002f 0035');
const safari12 = 'c02c c02b cca9 c030 c02f cca8 c00a c009 c014 c013 009d 009c 0035 002f c008 c012 000a';
const openssl = ids(
  '1302 1303 1301 c02c c030 009f cca9 cca8 ccaa c02b c02f 009e c024 c028 006b c023 c027 0067 c00a c014 0039 c009 c013 0033 009d 009c 003d 003c 0035 002f',
);
const java17 = ids(
  '1302 1301 1303 c02c c02b cca9 c030 cca8 c02f 009f ccaa 009e c024 c028 c023 c027 006b 0067 c00a c014 c009 c013 0039 0033 009d 009c 003d 003c 0035 002f',
);

const chromiumSignatures = ids('0403 0804 0401 0503 0805 0501 0806 0601');
const firefoxSignatures = ids('0403 0503 0603 0804 0805 0806 0401 0501 0601 0203 0201');
const safariSignatures = ids('0403 0804 0401 0503 0203 0805 0501 0806 0601 0201');
/** Close to all that were ever defined, as libraries offer them. */
const librarySignatures = ids(
  '0403 0503 0603 0807 0808 0809 080a 080b 0804 0805 0806 0401 0501 0601 0303 0301 0302 0402 0203 0201 0202',
);
/** Clients of 2012 to 2017. */
const olderSignatures = ids('0601 0602 0603 0501 0502 0503 0401 0402 0403 0301 0302 0303 0201 0202 0203');

type RequiredField = 'capture' | 'versions' | 'suites' | 'groups';
type Offer = Pick<ClientProfile, RequiredField> & Partial<Omit<ClientProfile, RequiredField | 'name'>>;
const client = (name: string, offer: Offer): ClientProfile => ({
  name,
  isCurrentBrowser: false,
  offersHttp: false,
  hello: name,
  matters: false,
  signatures: offer.versions.includes('TLSv1.3') ? librarySignatures : olderSignatures,
  keysFor: offer.versions.includes('TLSv1.3') ? offer.groups.filter((id) => id === x25519) : [],
  greases: false,
  ...offer,
});
const browser = (name: string, offer: Omit<Offer, 'versions'>): ClientProfile =>
  client(name, { isCurrentBrowser: true, versions: modern, offersHttp: true, matters: true, ...offer });
const chromeOfToday = {
  hello: 'chrome',
  suites: chromium,
  groups: [hybridGroup, x25519, p256, p384],
  signatures: chromiumSignatures,
  keysFor: [hybridGroup, x25519],
  greases: true,
  matters: true,
} as const;
const opensslOfToday = {
  hello: 'openssl',
  versions: modern,
  suites: openssl,
  groups: [hybridGroup, x25519, p256, x448, p384, p521, ...smallPrimes],
  keysFor: [hybridGroup, x25519],
  matters: true,
} as const;
const javaOfToday = {
  hello: 'java',
  versions: modern,
  suites: java17,
  groups: [x25519, p256, p384, p521, x448, ...primes],
  keysFor: [x25519, p256],
  matters: true,
} as const;
const openssl102 = {
  hello: 'openssl 1.0.2',
  suites: ids(
    'c030 c02c c028 c024 c014 c00a 00a3 009f 006b 006a 0039 0038 0088 0087 009d 003d 0035 0084 c02f c02b c027 c023 c013 c009 00a2 009e 0067 0040 0033 0032 009a 0099 0045 0044 009c 003c 002f 0096 0041 0007 c011 c007 0005 0004 c012 c008 0016 0013 000a 0015 0012 0009',
  ),
  groups: [p256, p521, 0x001c, 0x001b, p384, 0x001a, 0x0016],
  matters: true,
} as const;

/** Clients that are simulated: browsers of today first, then from new to old. */
export const clientProfiles: readonly ClientProfile[] = [
  browser('Chrome 131 and later', {
    capture: 'Chromium 137 (Win 11)',
    ...chromeOfToday,
  }),
  browser('Firefox 132 and later', {
    capture: 'Firefox 137 (Win 11)',
    suites: firefox,
    groups: [hybridGroup, x25519, p256, p384, p521, ...smallPrimes],
    signatures: firefoxSignatures,
    keysFor: [hybridGroup, x25519, p256],
  }),
  browser('Safari 26, iOS 26', {
    capture: 'Safari 26.4 (iOS+iPadOS 26.4)',
    suites: ids(`1302 1303 1301 ${safari12}`),
    groups: [hybridGroup, x25519, p256, p384, p521],
    signatures: safariSignatures,
    keysFor: [hybridGroup, x25519],
    greases: true,
  }),
  browser('Safari 18, iOS 18', {
    capture: 'Safari 18.4 (iOS 18.4)',
    suites: ids(`1301 1302 1303 ${safari12}`),
    groups: [x25519, p256, p384, p521],
    signatures: safariSignatures,
    greases: true,
    matters: false,
  }),
  client('Chrome 79', {
    capture: 'Chrome 79 (Win 10)',
    versions: untilTls13,
    suites: [...chromium, 0x000a],
    groups: [x25519, p256, p384],
    signatures: [...chromiumSignatures, 0x0201],
    greases: true,
    offersHttp: true,
    matters: true,
  }),
  client('Firefox 66', {
    capture: 'Firefox 66 (Win 8.1/10)',
    versions: untilTls13,
    suites: ids('1301 1303 1302 c02b c02f cca9 cca8 c02c c030 c00a c009 c013 c014 0033 0039 002f 0035 000a'),
    groups: [x25519, p256, p384, p521, ...smallPrimes],
    signatures: firefoxSignatures,
    keysFor: [x25519, p256],
    offersHttp: true,
    matters: true,
  }),
  client('curl 8, OpenSSL 3.5', { capture: 'OpenSSL 3.5.0 (git)', ...opensslOfToday, offersHttp: true }),
  client('curl 7.52, OpenSSL 1.0.2', {
    capture: 'OpenSSL 1.0.2e',
    // curl has not offered SSL 3.0 since 7.39.
    versions: untilTls12,
    ...openssl102,
    offersHttp: true,
  }),
  client('OpenSSL 3.5', {
    capture: 'OpenSSL 3.5.0 (git)',
    ...opensslOfToday,
  }),
  client('OpenSSL 3.0', {
    capture: 'OpenSSL 3.0.15 (Debian)',
    versions: modern,
    suites: openssl,
    groups: [x25519, p256, x448, p521, p384, ...primes],
  }),
  client('OpenSSL 1.1.1', {
    capture: 'OpenSSL 1.1.1d (Debian)',
    versions: untilTls13,
    suites: openssl,
    groups: [x25519, p256, x448, p521, p384],
  }),
  client('OpenSSL 1.0.2', {
    capture: 'OpenSSL 1.0.2e',
    versions: ['SSLv3', ...untilTls12],
    ...openssl102,
  }),
  client('OpenSSL 0.9.8', {
    capture: 'OpenSSL 0.9.8y',
    versions: tls10,
    suites: ids(
      '0039 0038 0035 0016 0013 000a 0033 0032 002f 0007 0005 0004 0015 0012 0009 0014 0011 0008 0006 0003',
    ),
    groups: [],
  }),
  client('Java 17 and later', {
    capture: 'Java 17.0.3/21.0.6 (OpenJDK)',
    ...javaOfToday,
  }),
  client('Java 11', {
    capture: 'Java 11.0.2 (OpenJDK)',
    versions: untilTls13,
    suites: ids(
      '1301 1302 c02c c02b c030 009d 009f 00a3 c02f 009c 009e 00a2 c024 c028 003d 006b 006a c00a c014 0035 0039 0038 c023 c027 003c 0067 0040 c009 c013 002f 0033 0032',
    ),
    groups: [p256, p384, p521, ...primes],
    keysFor: [p256],
  }),
  client('Java 8, up to date', {
    capture: 'Java 8u442 (OpenJDK)',
    ...javaOfToday,
  }),
  client('Java 8u161', {
    capture: 'Java 8u161',
    matters: true,
    versions: untilTls12,
    suites: ids(
      'c024 c028 003d 006b 006a c00a c014 0035 0039 0038 c023 c027 003c 0067 0040 c009 c013 002f 0033 0032 c02c c02b c030 009d 009f 00a3 c02f 009c 009e 00a2 c008 c012 000a 0016 0013',
    ),
    groups: [p256, p384, p521, 0x0016],
  }),
  client('Java 7', {
    capture: 'Java 7u25',
    versions: tls10,
    suites: ids('c009 c013 002f 0033 0032 c007 c011 0005 c008 c012 000a 0016 0013 0004'),
    groups: [p256, p384, p521, 0x0016],
  }),
  client('Android 15 and later', {
    capture: 'Android 15/16 (native)',
    versions: modern,
    ...chromeOfToday,
  }),
  client('Android 10', {
    capture: 'Android 10.0 (native)',
    versions: untilTls13,
    suites: [...chromium, 0x000a],
    groups: [x25519, p256, p384],
    signatures: [...chromiumSignatures, 0x0201],
    hello: 'Chrome 79',
    greases: true,
  }),
  client('Android 7', {
    capture: 'Android 7.0 (native)',
    versions: untilTls12,
    suites: ids('c02b c02c cca9 c02f c030 cca8 c013 c014 009c 009d 002f 0035'),
    groups: [p256],
    matters: true,
  }),
  client('Android 4.4', {
    capture: 'Android 4.4.2',
    versions: ['SSLv3', ...untilTls12],
    suites: ids(
      'c030 c02c c014 c00a 00a3 009f 006b 006a 0039 0038 009d 003d 0035 c012 c008 0016 0013 000a c02f c02b c027 c023 c013 c009 00a2 009e 0067 0040 0033 0032 009c 003c 002f c011 c007 0005 0004',
    ),
    groups: [p521, p384, p256],
  }),
  client('iOS 9', {
    capture: 'Safari 9 iOS 9',
    matters: true,
    versions: untilTls12,
    suites: ids(
      'c02c c02b c024 c023 c00a c009 c008 c030 c02f c028 c027 c014 c013 c012 009d 009c 003d 003c 0035 002f 000a c007 c011 0005 0004',
    ),
    groups: [p256, p384, p521],
  }),
  client('Internet Explorer 11, Windows 10', {
    capture: 'IE 11 Win 10',
    versions: untilTls12,
    suites: ids(
      'c02c c02b c030 c02f 009f 009e c024 c023 c028 c027 c00a c009 c014 c013 0039 0033 009d 009c 003d 003c 0035 002f 000a 006a 0040 0038 0032 0013',
    ),
    groups: [p256, p384],
  }),
  client('Internet Explorer 11, Windows 7', {
    capture: 'IE 11 Win 7',
    versions: untilTls12,
    suites: ids(
      'c028 c027 c014 c013 009f 009e 009d 009c 003d 003c 0035 002f c02c c02b c024 c023 c00a c009 006a 0040 0038 0032 000a 0013',
    ),
    groups: [p256, p384],
  }),
];
