import type { VersionName } from './tls-names.ts';

/** What a cipher suite's name says of it. */
export type Suite = {
  readonly id: number;
  /** IANA's name, e.g. "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256". */
  readonly name: string;
  /** "ECDH" is the fixed kind; in TLS 1.3 the suite does not say. */
  readonly keyExchange: 'ECDHE' | 'DHE' | 'RSA' | 'ECDH' | 'TLS13';
  readonly isAnonymous: boolean;
  readonly isExport: boolean;
  readonly cipher: Cipher;
  /** Length of the symmetric key; 3DES counts 112, as NIST SP 800-131A rates it. */
  readonly bits: number;
  readonly isAead: boolean;
};

export type Cipher =
  | 'NULL'
  | 'RC4'
  | 'RC2'
  | 'DES'
  | '3DES'
  | 'IDEA'
  | 'SEED'
  | 'AES'
  | 'CAMELLIA'
  | 'ARIA'
  | 'CHACHA20';

/**
 * The suites that are asked for, by IANA's registry of TLS Cipher Suites: first id, then names with consecutive ids, "TLS_" left out.
 * Not listed: PSK, SRP and Kerberos (no certificate), and fixed DH with DSS or RSA certificates (no CA ever issued them).
 */
const registry: readonly (readonly [first: number, names: string])[] = [
  [
    0x0001,
    'RSA_WITH_NULL_MD5 RSA_WITH_NULL_SHA RSA_EXPORT_WITH_RC4_40_MD5 RSA_WITH_RC4_128_MD5 RSA_WITH_RC4_128_SHA RSA_EXPORT_WITH_RC2_CBC_40_MD5 RSA_WITH_IDEA_CBC_SHA RSA_EXPORT_WITH_DES40_CBC_SHA RSA_WITH_DES_CBC_SHA RSA_WITH_3DES_EDE_CBC_SHA',
  ],
  [0x0011, 'DHE_DSS_EXPORT_WITH_DES40_CBC_SHA DHE_DSS_WITH_DES_CBC_SHA DHE_DSS_WITH_3DES_EDE_CBC_SHA'],
  [
    0x0014,
    'DHE_RSA_EXPORT_WITH_DES40_CBC_SHA DHE_RSA_WITH_DES_CBC_SHA DHE_RSA_WITH_3DES_EDE_CBC_SHA DH_anon_EXPORT_WITH_RC4_40_MD5 DH_anon_WITH_RC4_128_MD5 DH_anon_EXPORT_WITH_DES40_CBC_SHA DH_anon_WITH_DES_CBC_SHA DH_anon_WITH_3DES_EDE_CBC_SHA',
  ],
  [0x002f, 'RSA_WITH_AES_128_CBC_SHA'],
  [
    0x0032,
    'DHE_DSS_WITH_AES_128_CBC_SHA DHE_RSA_WITH_AES_128_CBC_SHA DH_anon_WITH_AES_128_CBC_SHA RSA_WITH_AES_256_CBC_SHA',
  ],
  [
    0x0038,
    'DHE_DSS_WITH_AES_256_CBC_SHA DHE_RSA_WITH_AES_256_CBC_SHA DH_anon_WITH_AES_256_CBC_SHA RSA_WITH_NULL_SHA256 RSA_WITH_AES_128_CBC_SHA256 RSA_WITH_AES_256_CBC_SHA256',
  ],
  [0x0040, 'DHE_DSS_WITH_AES_128_CBC_SHA256 RSA_WITH_CAMELLIA_128_CBC_SHA'],
  [
    0x0044,
    'DHE_DSS_WITH_CAMELLIA_128_CBC_SHA DHE_RSA_WITH_CAMELLIA_128_CBC_SHA DH_anon_WITH_CAMELLIA_128_CBC_SHA',
  ],
  [
    0x0062,
    'RSA_EXPORT1024_WITH_DES_CBC_SHA DHE_DSS_EXPORT1024_WITH_DES_CBC_SHA RSA_EXPORT1024_WITH_RC4_56_SHA DHE_DSS_EXPORT1024_WITH_RC4_56_SHA',
  ],
  [0x0067, 'DHE_RSA_WITH_AES_128_CBC_SHA256'],
  [
    0x006a,
    'DHE_DSS_WITH_AES_256_CBC_SHA256 DHE_RSA_WITH_AES_256_CBC_SHA256 DH_anon_WITH_AES_128_CBC_SHA256 DH_anon_WITH_AES_256_CBC_SHA256',
  ],
  [0x0084, 'RSA_WITH_CAMELLIA_256_CBC_SHA'],
  [
    0x0087,
    'DHE_DSS_WITH_CAMELLIA_256_CBC_SHA DHE_RSA_WITH_CAMELLIA_256_CBC_SHA DH_anon_WITH_CAMELLIA_256_CBC_SHA',
  ],
  [0x0096, 'RSA_WITH_SEED_CBC_SHA'],
  [0x0099, 'DHE_DSS_WITH_SEED_CBC_SHA DHE_RSA_WITH_SEED_CBC_SHA DH_anon_WITH_SEED_CBC_SHA'],
  [
    0x009c,
    'RSA_WITH_AES_128_GCM_SHA256 RSA_WITH_AES_256_GCM_SHA384 DHE_RSA_WITH_AES_128_GCM_SHA256 DHE_RSA_WITH_AES_256_GCM_SHA384',
  ],
  [0x00a2, 'DHE_DSS_WITH_AES_128_GCM_SHA256 DHE_DSS_WITH_AES_256_GCM_SHA384'],
  [0x00a6, 'DH_anon_WITH_AES_128_GCM_SHA256 DH_anon_WITH_AES_256_GCM_SHA384'],
  [0x00ba, 'RSA_WITH_CAMELLIA_128_CBC_SHA256'],
  [
    0x00be,
    'DHE_RSA_WITH_CAMELLIA_128_CBC_SHA256 DH_anon_WITH_CAMELLIA_128_CBC_SHA256 RSA_WITH_CAMELLIA_256_CBC_SHA256',
  ],
  [0x00c4, 'DHE_RSA_WITH_CAMELLIA_256_CBC_SHA256 DH_anon_WITH_CAMELLIA_256_CBC_SHA256'],
  [
    0x1301,
    'AES_128_GCM_SHA256 AES_256_GCM_SHA384 CHACHA20_POLY1305_SHA256 AES_128_CCM_SHA256 AES_128_CCM_8_SHA256',
  ],
  [
    0xc001,
    'ECDH_ECDSA_WITH_NULL_SHA ECDH_ECDSA_WITH_RC4_128_SHA ECDH_ECDSA_WITH_3DES_EDE_CBC_SHA ECDH_ECDSA_WITH_AES_128_CBC_SHA ECDH_ECDSA_WITH_AES_256_CBC_SHA',
  ],
  [
    0xc006,
    'ECDHE_ECDSA_WITH_NULL_SHA ECDHE_ECDSA_WITH_RC4_128_SHA ECDHE_ECDSA_WITH_3DES_EDE_CBC_SHA ECDHE_ECDSA_WITH_AES_128_CBC_SHA ECDHE_ECDSA_WITH_AES_256_CBC_SHA',
  ],
  [
    0xc00b,
    'ECDH_RSA_WITH_NULL_SHA ECDH_RSA_WITH_RC4_128_SHA ECDH_RSA_WITH_3DES_EDE_CBC_SHA ECDH_RSA_WITH_AES_128_CBC_SHA ECDH_RSA_WITH_AES_256_CBC_SHA',
  ],
  [
    0xc010,
    'ECDHE_RSA_WITH_NULL_SHA ECDHE_RSA_WITH_RC4_128_SHA ECDHE_RSA_WITH_3DES_EDE_CBC_SHA ECDHE_RSA_WITH_AES_128_CBC_SHA ECDHE_RSA_WITH_AES_256_CBC_SHA',
  ],
  [
    0xc015,
    'ECDH_anon_WITH_NULL_SHA ECDH_anon_WITH_RC4_128_SHA ECDH_anon_WITH_3DES_EDE_CBC_SHA ECDH_anon_WITH_AES_128_CBC_SHA ECDH_anon_WITH_AES_256_CBC_SHA',
  ],
  [
    0xc023,
    'ECDHE_ECDSA_WITH_AES_128_CBC_SHA256 ECDHE_ECDSA_WITH_AES_256_CBC_SHA384 ECDH_ECDSA_WITH_AES_128_CBC_SHA256 ECDH_ECDSA_WITH_AES_256_CBC_SHA384 ECDHE_RSA_WITH_AES_128_CBC_SHA256 ECDHE_RSA_WITH_AES_256_CBC_SHA384 ECDH_RSA_WITH_AES_128_CBC_SHA256 ECDH_RSA_WITH_AES_256_CBC_SHA384',
  ],
  [
    0xc02b,
    'ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 ECDH_ECDSA_WITH_AES_128_GCM_SHA256 ECDH_ECDSA_WITH_AES_256_GCM_SHA384 ECDHE_RSA_WITH_AES_128_GCM_SHA256 ECDHE_RSA_WITH_AES_256_GCM_SHA384 ECDH_RSA_WITH_AES_128_GCM_SHA256 ECDH_RSA_WITH_AES_256_GCM_SHA384',
  ],
  [0xc03c, 'RSA_WITH_ARIA_128_CBC_SHA256 RSA_WITH_ARIA_256_CBC_SHA384'],
  [0xc044, 'DHE_RSA_WITH_ARIA_128_CBC_SHA256 DHE_RSA_WITH_ARIA_256_CBC_SHA384'],
  [0xc048, 'ECDHE_ECDSA_WITH_ARIA_128_CBC_SHA256 ECDHE_ECDSA_WITH_ARIA_256_CBC_SHA384'],
  [0xc04c, 'ECDHE_RSA_WITH_ARIA_128_CBC_SHA256 ECDHE_RSA_WITH_ARIA_256_CBC_SHA384'],
  [
    0xc050,
    'RSA_WITH_ARIA_128_GCM_SHA256 RSA_WITH_ARIA_256_GCM_SHA384 DHE_RSA_WITH_ARIA_128_GCM_SHA256 DHE_RSA_WITH_ARIA_256_GCM_SHA384',
  ],
  [0xc05c, 'ECDHE_ECDSA_WITH_ARIA_128_GCM_SHA256 ECDHE_ECDSA_WITH_ARIA_256_GCM_SHA384'],
  [0xc060, 'ECDHE_RSA_WITH_ARIA_128_GCM_SHA256 ECDHE_RSA_WITH_ARIA_256_GCM_SHA384'],
  [0xc072, 'ECDHE_ECDSA_WITH_CAMELLIA_128_CBC_SHA256 ECDHE_ECDSA_WITH_CAMELLIA_256_CBC_SHA384'],
  [0xc076, 'ECDHE_RSA_WITH_CAMELLIA_128_CBC_SHA256 ECDHE_RSA_WITH_CAMELLIA_256_CBC_SHA384'],
  [
    0xc07a,
    'RSA_WITH_CAMELLIA_128_GCM_SHA256 RSA_WITH_CAMELLIA_256_GCM_SHA384 DHE_RSA_WITH_CAMELLIA_128_GCM_SHA256 DHE_RSA_WITH_CAMELLIA_256_GCM_SHA384',
  ],
  [0xc086, 'ECDHE_ECDSA_WITH_CAMELLIA_128_GCM_SHA256 ECDHE_ECDSA_WITH_CAMELLIA_256_GCM_SHA384'],
  [0xc08a, 'ECDHE_RSA_WITH_CAMELLIA_128_GCM_SHA256 ECDHE_RSA_WITH_CAMELLIA_256_GCM_SHA384'],
  [
    0xc09c,
    'RSA_WITH_AES_128_CCM RSA_WITH_AES_256_CCM DHE_RSA_WITH_AES_128_CCM DHE_RSA_WITH_AES_256_CCM RSA_WITH_AES_128_CCM_8 RSA_WITH_AES_256_CCM_8 DHE_RSA_WITH_AES_128_CCM_8 DHE_RSA_WITH_AES_256_CCM_8',
  ],
  [
    0xc0ac,
    'ECDHE_ECDSA_WITH_AES_128_CCM ECDHE_ECDSA_WITH_AES_256_CCM ECDHE_ECDSA_WITH_AES_128_CCM_8 ECDHE_ECDSA_WITH_AES_256_CCM_8',
  ],
  // TLS 1.3 without encryption (RFC 9150).
  [0xc0b4, 'SHA256_SHA256 SHA384_SHA384'],
  [
    0xcca8,
    'ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256 ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 DHE_RSA_WITH_CHACHA20_POLY1305_SHA256',
  ],
];

const ciphers: readonly { readonly mark: string; readonly cipher: Cipher; readonly bits: number }[] = [
  { mark: 'NULL', cipher: 'NULL', bits: 0 },
  { mark: 'RC4_40', cipher: 'RC4', bits: 40 },
  { mark: 'RC4_56', cipher: 'RC4', bits: 56 },
  { mark: 'RC4_128', cipher: 'RC4', bits: 128 },
  { mark: 'RC2_CBC_40', cipher: 'RC2', bits: 40 },
  { mark: '3DES_EDE', cipher: '3DES', bits: 112 },
  { mark: 'DES40', cipher: 'DES', bits: 40 },
  { mark: 'DES_CBC', cipher: 'DES', bits: 56 },
  { mark: 'IDEA', cipher: 'IDEA', bits: 128 },
  { mark: 'SEED', cipher: 'SEED', bits: 128 },
  { mark: 'CHACHA20', cipher: 'CHACHA20', bits: 256 },
  { mark: 'AES_128', cipher: 'AES', bits: 128 },
  { mark: 'AES_256', cipher: 'AES', bits: 256 },
  { mark: 'CAMELLIA_128', cipher: 'CAMELLIA', bits: 128 },
  { mark: 'CAMELLIA_256', cipher: 'CAMELLIA', bits: 256 },
  { mark: 'ARIA_128', cipher: 'ARIA', bits: 128 },
  { mark: 'ARIA_256', cipher: 'ARIA', bits: 256 },
];

/** Every suite that is asked for, by id. */
export const suites: ReadonlyMap<number, Suite> = new Map(
  registry.flatMap(([first, names]) =>
    names
      .split(' ')
      .map((name, index) => [first + index, describeSuite(first + index, `TLS_${name}`)] as const),
  ),
);

function describeSuite(id: number, name: string): Suite {
  const { cipher, bits } = ciphers.find(({ mark }) => name.includes(mark)) ?? { cipher: 'NULL', bits: 0 };
  return {
    id,
    name,
    keyExchange: keyExchangeOf(name),
    isAnonymous: name.includes('_anon_'),
    isExport: name.includes('_EXPORT'),
    cipher,
    bits,
    isAead: /_GCM_|_CCM|POLY1305/.test(name),
  };
}

function keyExchangeOf(name: string): Suite['keyExchange'] {
  if (!name.includes('_WITH_')) return 'TLS13';
  const first = name.split('_')[1];
  if (first === 'RSA') return 'RSA';
  if (name.includes('_anon_')) return first === 'ECDH' ? 'ECDHE' : 'DHE';
  return first === 'ECDHE' || first === 'ECDH' ? first : 'DHE';
}

/** Forward secrecy: recording the traffic and stealing the certificate's key later does not open it. */
export function hasForwardSecrecy({ keyExchange }: Suite): boolean {
  return keyExchange === 'ECDHE' || keyExchange === 'DHE' || keyExchange === 'TLS13';
}

/** No server has a good reason to offer these: no encryption, no authentication, or broken ciphers. */
export function isDangerous({ cipher, isAnonymous, bits }: Suite): boolean {
  return isAnonymous || bits <= 112 || cipher === 'RC4';
}

/** Suites that no version before TLS 1.2 has: authenticated encryption, and MACs other than SHA-1 and MD5 (RFC 5246 §1.2). */
export function isSinceTls12({ name, isAead }: Suite): boolean {
  return isAead || name.endsWith('_SHA256') || name.endsWith('_SHA384');
}

const all = [...suites.values()];

/** What makes a suite dangerous; some are in several classes. A server is asked once for each class before any list is asked to its end. */
const classes = {
  nullCipher: ({ cipher }) => cipher === 'NULL',
  anonymous: ({ isAnonymous }) => isAnonymous,
  exportGrade: ({ isExport }) => isExport,
  shortKey: ({ bits, isExport }) => bits > 0 && bits < 112 && !isExport,
  rc4: ({ cipher }) => cipher === 'RC4',
  tripleDes: ({ cipher }) => cipher === '3DES',
} as const satisfies { readonly [name: string]: (suite: Suite) => boolean };

/** Their names, worst first. */
export const dangerClasses = Object.keys(classes) as (keyof typeof classes)[];

/** Authenticated ones first, then long keys, as careful servers have them: many servers follow the order of the client. */
const bestFirst = (one: Suite, other: Suite) =>
  Number(one.keyExchange === 'DHE') - Number(other.keyExchange === 'DHE') ||
  Number(other.isAead) - Number(one.isAead) ||
  rarity(one) - rarity(other);

const usual: readonly Cipher[] = ['AES', 'CHACHA20'];
function rarity({ cipher, name }: Suite): number {
  return Number(!usual.includes(cipher)) + Number(name.includes('_CCM')) + Number(name.includes('_DSS_'));
}

const before13 = all.filter(({ keyExchange }) => keyExchange !== 'TLS13').sort(bestFirst);
const idsOf = (picks: (suite: Suite) => boolean) => before13.filter(picks).map(({ id }) => id);
const isSound = (suite: Suite) => !isDangerous(suite) && hasForwardSecrecy(suite);
const oldOnes = before13
  .filter((suite) => !isSinceTls12(suite))
  .sort((a, b) => Number(isDangerous(a)) - Number(isDangerous(b)));

/** The suites of each question, the best first: the sets part what must be known from what is nice to know. */
export const suiteSets = {
  tls13: all.filter(({ keyExchange }) => keyExchange === 'TLS13').map(({ id }) => id),
  dangerous: idsOf(isDangerous),
  withoutForwardSecrecy: idsOf((suite) => !isDangerous(suite) && !hasForwardSecrecy(suite)),
  sound: idsOf(isSound),
  /** Part of the sound ones: asked once, for the length of the prime. */
  finiteField: idsOf((suite) => isSound(suite) && suite.keyExchange === 'DHE'),
  /** The other part, as far as it encrypts block by block. */
  curveBlocks: idsOf((suite) => isSound(suite) && suite.keyExchange !== 'DHE' && !suite.isAead),
  /** Authenticated encryption, with forward secrecy or without. */
  aead: idsOf((suite) => !isDangerous(suite) && suite.isAead),
  nullCipher: idsOf(classes.nullCipher),
  anonymous: idsOf(classes.anonymous),
  exportGrade: idsOf(classes.exportGrade),
  shortKey: idsOf(classes.shortKey),
  rc4: idsOf(classes.rc4),
  tripleDes: idsOf(classes.tripleDes),
  /** For SSL 3.0 to TLS 1.1. */
  old: oldOnes.map(({ id }) => id),
  oldDangerous: oldOnes.filter(isDangerous).map(({ id }) => id),
  /** What POODLE needs in SSL 3.0. */
  oldBlocks: oldOnes.filter(({ cipher, bits }) => cipher !== 'RC4' && bits > 0).map(({ id }) => id),
} as const;
export type SuiteSet = keyof typeof suiteSets;

/** The suites of a set that a version can have: those of TLS 1.2 mean nothing in older ones. */
export function suitesIn(set: SuiteSet, version: VersionName): readonly number[] {
  const ids: readonly number[] = suiteSets[set];
  if (version === 'TLSv1.2' || version === 'TLSv1.3') return ids;
  const old: readonly number[] = suiteSets.old;
  return ids.filter((id) => old.includes(id));
}
