/** A zone of the lab: its text, how it is signed, and what the parent says of it. */
export type LabZone = {
  readonly text: string;
  readonly signing?: {
    readonly algorithm: string;
    readonly bits?: number;
    /** Days from now. */
    readonly fromDay?: number;
    readonly untilDay?: number;
    readonly nsec3Iterations?: number;
    readonly optOut?: boolean;
    /** The second server is another provider's, with keys of its own; `shared`: each publishes the key that signs at the other (RFC 8901 §2.1.2). */
    readonly providers?: 'shared' | 'apart';
    /** Keys of an earlier lab, by the paths of their files without an ending; new ones when left out. */
    readonly keys?: ZoneKeys;
  };
  /** The zone as its chain of denial knows it, where that is another: records that were put into a database past the signer. */
  readonly chain?: string;
  /** What is taken out of the signed zone, and at which servers; both when left out. */
  readonly damage?: { readonly of: keyof typeof damages; readonly servers?: readonly ('ns1' | 'ns2')[] };
  /** Which name server has it; both when left out. */
  readonly servers?: readonly ('ns1' | 'ns2')[];
  /** A second text, for the second server alone. */
  readonly second?: string;
  /** What the parent delegates to, where it differs: lines of the parent. */
  readonly delegation?: string;
  /** `none`: no DS although signed; `wrong`: of a key that is not in the zone; else the line that the parent has. */
  readonly ds?: 'none' | 'wrong' | { readonly line: string };
};

export type ZoneKeys = { readonly keySigning: string; readonly zoneSigning: string };

/** Takes something out of a signed zone, line by line. */
export const damages = {
  proofs: (lines: readonly string[]) => lines.filter((line) => !/\t(?:NSEC3?|RRSIG\tNSEC3?)[ \t]/.test(line)),
  'signatures of TLSA': (lines: readonly string[]) =>
    lines.filter((line) => !/\tRRSIG\tTLSA[ \t]/.test(line)),
  'signatures of proofs': (lines: readonly string[]) =>
    lines.filter((line) => !/\tRRSIG\tNSEC3?[ \t]/.test(line)),
} as const;

/** A signed zone with the chain of denial of another. */
export function withChain(lines: readonly string[], chain: readonly string[]): readonly string[] {
  const isChain = (line: string) => /\t(?:NSEC3?|RRSIG\tNSEC3?)[ \t]/.test(line);
  return [...lines.filter((line) => !isChain(line)), ...chain.filter(isChain)];
}

const crowd = Array.from({ length: 12 }, (_, at) => at + 1);
const crowdNames = crowd.map((at) => `@ NS n${at}\nn${at} A 127.BLOCK.4.${at}\n`).join('');
const longTexts = crowd.map((at) => `@ TXT "${String(at).repeat(200).slice(0, 200)}"\n`).join('');

/** Where everything is, in 127.<block>.0.0/16. */
export function addressesIn(block: number) {
  return {
    root: `127.${block}.0.1`,
    resolver: `127.${block}.0.53`,
    /** Resolves, but does not validate. */
    plainResolver: `127.${block}.0.54`,
    ns1: `127.${block}.1.1`,
    ns2: `127.${block}.2.1`,
    /** Where the first name server is as well, under twelve more names. */
    crowd: crowd.map((at) => `127.${block}.4.${at}`),
  };
}
export type Addresses = ReturnType<typeof addressesIn>;

const servers = '@ NS ns1\n@ NS ns2\nns1 A 127.BLOCK.1.1\nns2 A 127.BLOCK.2.1\n';
const head = (serial = 1, rname = 'hostmaster') =>
  `$TTL 3600\n@ SOA ns1 ${rname} ${serial} 14400 3600 1209600 3600\n`;
const body =
  '@ A 192.0.2.80\n@ MX 10 mail\nmail A 192.0.2.25\n@ TXT "v=spf1 mx -all"\n@ CAA 0 issue "ca.example"\nwww CNAME @\n';
const usual = `${head()}${servers}${body}`;
const bare = usual.replace('@ A 192.0.2.80\n', '').replace('www CNAME @\n', '');
const p256 = { algorithm: 'ECDSAP256SHA256' } as const;

const labZones: { readonly [name: string]: LabZone } = {
  // An HTTPS record (1 .) in the form that every signer knows.
  'secure.test': { text: `${usual}@ TYPE65 \\# 3 000100\n`, signing: p256 },
  // HTTPS records without an address of the domain, and beside one: 1 . ipv4hint, 1 . alpn=h2, 0 www, 0 gone.nowhere.test., 1 gone.nowhere.test.
  'hints.test': { text: `${bare}@ TYPE65 \\# 11 000100 0004 0004 c0000250\n` },
  'alpn.test': { text: `${bare}@ TYPE65 \\# 10 000100 0001 0003 026832\n` },
  'aliasalone.test': {
    text: `${bare}www A 192.0.2.80\n@ TYPE65 \\# 23 0000 03777777 0a616c696173616c6f6e65 0474657374 00\n`,
  },
  'aliasgone.test': { text: `${bare}@ TYPE65 \\# 21 0000 04676f6e65 076e6f7768657265 0474657374 00\n` },
  'servicegone.test': { text: `${usual}@ TYPE65 \\# 21 0001 04676f6e65 076e6f7768657265 0474657374 00\n` },
  'rsa.test': { text: usual, signing: { algorithm: 'RSASHA256', bits: 2048 } },
  'rsa512.test': { text: usual, signing: { algorithm: 'RSASHA512', bits: 2048 } },
  'short.test': { text: usual, signing: { algorithm: 'RSASHA256', bits: 1024 } },
  'sha1.test': { text: usual, signing: { algorithm: 'RSASHA1', bits: 2048 } },
  'p384.test': { text: usual, signing: { algorithm: 'ECDSAP384SHA384' } },
  'ed25519.test': { text: usual, signing: { algorithm: 'ED25519' } },
  'ed448.test': { text: usual, signing: { algorithm: 'ED448' } },
  'nsec3.test': { text: usual, signing: { ...p256, nsec3Iterations: 10 } },
  'nsec3zero.test': { text: usual, signing: { ...p256, nsec3Iterations: 0 } },
  'wild3.test': { text: `${usual}* TXT "x"\n`, signing: { ...p256, nsec3Iterations: 0 } },
  'optout.test': { text: usual, signing: { ...p256, nsec3Iterations: 0, optOut: true } },
  // As much as a zone in use has to tell: twelve name servers, long keys and proofs, and 3 kB of text.
  'crowd.test': {
    text: `${head().replace('SOA ns1', 'SOA n1')}${crowdNames}${body}${longTexts}`,
    signing: { algorithm: 'RSASHA256', bits: 2048, nsec3Iterations: 0 },
    delegation: crowdNames
      .replaceAll('@', '$')
      .replaceAll(/n(\d+) A/g, 'n$1.$ A')
      .replaceAll(/NS (n\d+)/g, 'NS $1.$'),
  },
  'noproof.test': { text: usual, signing: p256, damage: { of: 'proofs' } },
  'noproof3.test': { text: usual, signing: { ...p256, nsec3Iterations: 0 }, damage: { of: 'proofs' } },
  'unsignedproof.test': { text: usual, signing: p256, damage: { of: 'signatures of proofs' } },
  'oneproof.test': { text: usual, signing: p256, damage: { of: 'proofs', servers: ['ns2'] } },
  'plain.test': { text: usual },
  // The second server never got the signed version.
  'halfsigned.test': { text: usual, second: usual, signing: p256 },
  'halfisland.test': { text: usual, second: usual, signing: p256, ds: 'none' },
  // Two tales of who announces the name servers' networks, and one that leaves one of them out.
  'as.test': {
    text: `${usual}1.1.BLOCK.127.one TXT "64511 | 127.BLOCK.1.0/24 | ZZ | lab | 2026-11-21"
1.2.BLOCK.127.one TXT "64496 64511 | 127.BLOCK.2.0/24 | ZZ | lab | 2026-11-21"
1.1.BLOCK.127.two TXT "64511 | 127.BLOCK.1.0/24 | ZZ | lab | 2026-11-21"
1.2.BLOCK.127.two TXT "64496 | 127.BLOCK.2.0/24 | ZZ | lab | 2026-11-21"
1.1.BLOCK.127.half TXT "64511 | 127.BLOCK.1.0/24 | ZZ | lab | 2026-11-21"
`,
  },
  'island.test': { text: usual, signing: p256, ds: 'none' },
  'wrongds.test': { text: usual, signing: p256, ds: 'wrong' },
  'expired.test': { text: usual, signing: { ...p256, fromDay: -30, untilDay: -3 } },
  // Unbound forgives a tenth of a signature's life, up to a day (val-sig-skew-max); RFC 4035 §5.3.1 forgives nothing.
  'forgiven.test': { text: usual, signing: { ...p256, fromDay: -30, untilDay: -0.5 } },
  'ending.test': { text: usual, signing: { ...p256, fromDay: -28, untilDay: 2 } },
  'lame.test': { text: usual, servers: ['ns1'] },
  'silent.test': { text: `${usual}@ NS ns3\nns3 A 127.BLOCK.3.1\n` },
  'serial.test': { text: usual, second: `${head(2)}${servers}${body}` },
  'differs.test': { text: usual, delegation: '$ NS ns1.$\nns1.$ A 127.BLOCK.1.1\n' },
  'glue.test': {
    text: usual,
    delegation: '$ NS ns1.$\n$ NS ns2.$\nns1.$ A 127.BLOCK.1.1\nns2.$ A 127.BLOCK.1.9\n',
  },
  'single.test': { text: usual.replace('@ NS ns2\n', ''), delegation: '$ NS ns1.$\nns1.$ A 127.BLOCK.1.1\n' },
  'unheard.test': { text: `${head(1, 'hostmaster.nowhere.test.')}${servers}${body}` },
  'nullmx.test': { text: usual.replace('@ MX 10 mail', '@ MX 0 .') },
  'odd.test': {
    text: `${head(1, 'first\\.last')}${servers}${body}*.wild A 192.0.2.9\n* A 192.0.2.10\nwww2 CNAME gone.nowhere.test.\n`.replace(
      'www CNAME @',
      'www CNAME gone',
    ),
    signing: p256,
  },
};

export const zoneNames = Object.keys(labZones);

/** The zones below "test", by name, with the addresses of a block. */
export function zonesIn(block: number): { readonly [name: string]: LabZone } {
  return JSON.parse(JSON.stringify(labZones).replaceAll('BLOCK', String(block))) as typeof labZones;
}
