import type { DnsCheckCode } from '#shared/catalogue/dns-check/rules';
import { apexTypes } from '../../../worker/checks/dns-check/halves.ts';
import type { DnsRecord } from '../../../worker/probes/dns/port.ts';
import { dsLine, keyLine, makeKey } from '../../unit/dns-check/sign-zone.ts';
import { readZone } from '../../unit/dns-check/zone-file.ts';
import { addresses, keySigning, type Setup, zoneSigning } from './fresh-world.ts';

/** A zone with one fault, in the kinds of the peers' own test zones, and what somebody who knows the DNS says of it. */
export type Fresh = {
  /** The case of Zonemaster that the kind is of. */
  readonly kind: string;
  readonly name: string;
  readonly setup: Setup;
  readonly domain?: string;
  /** All findings of medium and above, and of the others at least these. */
  readonly told: readonly DnsCheckCode[];
  readonly score?: number | null;
  readonly state?: string;
};

const { ns1, ns2, ns3 } = addresses;
const silence = { code: 'timeout', reason: 'no answer within 3 tries' } as const;
const servfail = { rcode: 'SERVFAIL', answers: [], authority: [], ede: [{ code: 22, text: '' }] } as const;
/** The resolver finds nobody who answers for the domain. */
const lost: NonNullable<Setup['resolver']> = {
  failsBelow: 'a.test',
  instead: new Map(
    [...apexTypes, 'SPF'].filter((type) => type !== 'DS').map((type) => [`${type} a.test`, servfail]),
  ),
};
const copy = (...lines: readonly string[]): readonly DnsRecord[] => readZone('a.test', lines.join('\n'));
const soa = (fields: string): Setup => ({ without: ['@ 3600 SOA'], add: [`@ 3600 SOA ${fields}`] });
const usual = [
  '@ 3600 NS ns1.a.test',
  '@ 3600 NS ns2.a.test',
  `ns1.a.test 3600 A ${ns1}`,
  `ns2.a.test 3600 A ${ns2}`,
  '@ 3600 A 192.0.2.80',
  '@ 3600 MX 10 mail.a.test',
  'mail.a.test 3600 A 198.41.0.25',
  '@ 3600 TXT v=spf1 mx -all',
];
const head = '@ 3600 SOA ns1.a.test hostmaster.a.test 1 14400 3600 1209600 3600';
/** The second server has these lines instead. */
const second = (...lines: readonly string[]): Setup => ({ servers: { [ns2]: { own: copy(...lines) } } });
const but = (from: string, to: string): readonly string[] =>
  [head, ...usual].map((line) => line.replace(from, to));
const cds = (line: string): string => line.replace(/^a\.test/, '@');
const ds = (algorithm: number, digestType: number): string =>
  `a.test 3600 DS 4711 ${algorithm} ${digestType} 00aa11`;
const foreignNs: Setup = {
  without: ['@ 3600 NS', 'ns1', 'ns2', '@ 3600 SOA'],
  add: [
    '@ 3600 SOA ns1.b.test hostmaster.a.test 1 14400 3600 1209600 3600',
    '@ 3600 NS ns1.b.test',
    '@ 3600 NS ns2.b.test',
  ],
  parentWithout: ['a.test', 'ns1', 'ns2'],
  parentAdd: ['a.test 3600 NS ns1.b.test', 'a.test 3600 NS ns2.b.test'],
  others: {
    'b.test': [
      '@ 3600 SOA ns1.b.test hostmaster.a.test 1 14400 3600 1209600 3600',
      '@ 3600 NS ns1.b.test',
      `ns1.b.test 3600 A ${ns1}`,
      `ns2.b.test 3600 A ${ns2}`,
    ],
  },
};
const unsignedCopy = [head, ...usual, '@ 3600 CAA 0 issue ca.example', 'www.a.test 3600 CNAME a.test'];

const delegations: readonly Fresh[] = [
  { kind: 'BASIC02', name: 'servers inside the domain, with glue', setup: {}, told: [] },
  { kind: 'BASIC02', name: 'servers in another domain, without glue', setup: foreignNs, told: [] },
  {
    kind: 'BASIC01',
    name: 'a name that the parent does not have',
    setup: {},
    domain: 'nowhere.test',
    told: ['domain-not-found'],
    score: null,
    state: 'unreachable',
  },
  {
    kind: 'BASIC02',
    name: 'both servers silent',
    setup: { servers: { [ns1]: { failure: silence }, [ns2]: { failure: silence } }, resolver: lost },
    told: ['ns-none-answers', 'ns-silent'],
    score: 0,
    state: 'complete',
  },
  {
    kind: 'BASIC02',
    name: 'one refuses, one fails',
    setup: { servers: { [ns1]: { rcode: 'REFUSED' }, [ns2]: { rcode: 'SERVFAIL' } }, resolver: lost },
    told: ['ns-none-answers'],
    score: 0,
    state: 'complete',
  },
  {
    kind: 'BASIC02',
    name: 'both say that the name is not there',
    setup: { servers: { [ns1]: { rcode: 'NXDOMAIN' }, [ns2]: { rcode: 'NXDOMAIN' } }, resolver: lost },
    told: ['ns-none-answers', 'ns-lame'],
    score: 0,
    state: 'complete',
  },
  {
    kind: 'BASIC02',
    name: 'neither has authority',
    setup: { servers: { [ns1]: { authoritative: false }, [ns2]: { authoritative: false } }, resolver: lost },
    told: ['ns-none-answers', 'ns-lame'],
    score: 0,
    state: 'complete',
  },
  {
    kind: 'BASIC02',
    name: 'servers whose names do not exist',
    setup: {
      ...foreignNs,
      parentAdd: ['a.test 3600 NS ns1.gone.test', 'a.test 3600 NS ns2.gone.test'],
      resolver: lost,
    },
    told: ['ns-none-answers', 'ns-without-address'],
    score: 0,
    state: 'complete',
  },
  {
    kind: 'BASIC02',
    name: 'servers inside the domain without glue',
    setup: { parentWithout: ['ns1', 'ns2'], resolver: lost },
    told: ['ns-none-answers', 'ns-glue-missing'],
    score: 0,
    state: 'complete',
  },
  {
    kind: 'BASIC02',
    name: 'of three servers one answers, one is silent, one has no authority',
    setup: {
      add: ['@ 3600 NS ns3.a.test', `ns3.a.test 3600 A ${ns3}`],
      parentAdd: ['a.test 3600 NS ns3.a.test', `ns3.a.test 3600 A ${ns3}`],
      servers: { [ns2]: { failure: silence }, [ns3]: { authoritative: false } },
    },
    told: ['ns-silent', 'ns-lame'],
  },
  {
    kind: 'CONSISTENCY05',
    name: 'glue of an old address at which the server answers too',
    setup: {
      parentWithout: ['ns2.a.test 3600 A'],
      parentAdd: [`ns2.a.test 3600 A ${ns3}`],
      servers: { [ns3]: {} },
    },
    told: ['ns-glue-mismatch'],
  },
  {
    kind: 'CONSISTENCY05',
    name: 'glue of a server that the zone has no address of',
    setup: { without: ['ns2.a.test 3600 A'] },
    told: ['ns-without-address'],
  },
  {
    kind: 'CONSISTENCY05',
    name: 'an address in the zone that the glue lacks',
    setup: { add: [`ns2.a.test 3600 A ${ns3}`], servers: { [ns3]: {} } },
    told: ['ns-glue-incomplete'],
  },
  {
    kind: 'CONSISTENCY05',
    name: 'old addresses of a server in a sister domain',
    setup: { ...foreignNs, parentAdd: [...(foreignNs.parentAdd ?? []), `ns1.b.test 3600 A ${ns3}`] },
    told: ['ns-glue-mismatch'],
  },
  {
    kind: 'DELEGATION01',
    name: 'the parent knows one server of two',
    setup: { parentWithout: ['a.test 3600 NS ns2', 'ns2'] },
    told: ['ns-single', 'ns-parent-child-mismatch'],
  },
  {
    kind: 'DELEGATION01',
    name: 'the zone knows one server of two',
    setup: { without: ['@ 3600 NS ns2'] },
    told: ['ns-parent-child-mismatch'],
  },
  {
    kind: 'DELEGATION02',
    name: 'two names of one address',
    setup: {
      without: ['ns2.a.test'],
      add: [`ns2.a.test 3600 A ${ns1}`],
      parentWithout: ['ns2.a.test'],
      parentAdd: [`ns2.a.test 3600 A ${ns1}`],
    },
    told: ['ns-same-address'],
  },
  {
    kind: 'DELEGATION05',
    name: 'a server by an alias',
    setup: {
      without: ['@ 3600 NS ns2'],
      add: ['@ 3600 NS alias.a.test', 'alias.a.test 3600 CNAME ns2.a.test'],
      parentWithout: ['a.test 3600 NS ns2', 'ns2'],
      parentAdd: ['a.test 3600 NS alias.a.test', `alias.a.test 3600 A ${ns2}`],
    },
    told: ['ns-cname-target'],
  },
  {
    kind: 'DELEGATION07',
    name: 'parent and zone have no server in common',
    setup: {
      ...foreignNs,
      parentWithout: [],
      parentAdd: [],
    },
    told: ['ns-parent-child-disjoint', 'ns-without-address'],
  },
  {
    kind: 'CONNECTIVITY04',
    name: 'both servers in one network',
    setup: {
      without: ['ns2.a.test'],
      add: ['ns2.a.test 3600 A 127.77.1.2'],
      parentWithout: ['ns2.a.test'],
      parentAdd: ['ns2.a.test 3600 A 127.77.1.2'],
      servers: { '127.77.1.2': {} },
    },
    told: ['ns-same-prefix'],
  },
  {
    kind: 'CONSISTENCY04',
    name: 'one server names three servers',
    setup: second(head, ...usual, '@ 3600 NS ns3.a.test'),
    told: ['ns-inconsistent', 'ns-parent-child-mismatch'],
  },
  {
    kind: 'CONSISTENCY01',
    name: 'one server is behind',
    setup: second(...but(' 1 14400', ' 0 14400')),
    told: ['soa-serial-mismatch'],
  },
  {
    kind: 'CONSISTENCY06',
    name: 'another primary at one server, and the same serial',
    setup: second(...but('SOA ns1', 'SOA ns2')),
    told: ['soa-fields-mismatch'],
  },
];

const manner = (
  name: string,
  kind: string,
  how: NonNullable<Setup['servers']>[string],
  ...told: Fresh['told']
): Fresh => ({
  kind,
  name,
  setup: { servers: { [ns2]: how } },
  told,
});

const manners: readonly Fresh[] = [
  manner('resolves for everybody', 'NAMESERVER01', { recursion: true }, 'ns-open-recursion'),
  manner('answers FORMERR to EDNS', 'NAMESERVER02', { edns: 'rejects' }, 'ns-edns-broken'),
  manner('drops what has EDNS', 'NAMESERVER02', { edns: 'drops' }, 'ns-edns-broken'),
  manner('ignores EDNS', 'NAMESERVER02', { edns: 'ignores' }, 'ns-edns-broken'),
  manner('fails for AAAA', 'NAMESERVER05', { failsFor: 'AAAA' }, 'ns-type-failed'),
  manner('says of AAAA that the name is not there', 'NAMESERVER05', { deniesName: 'AAAA' }, 'ns-type-failed'),
  manner('drops questions for AAAA', 'NAMESERVER05', { ignoresType: 'AAAA' }, 'ns-type-failed'),
  manner('refers to the root', 'NAMESERVER07', { refersTo: '' }, 'ns-upward-referral'),
  manner('changes the letters', 'NAMESERVER08', { keepsCase: false }, 'ns-letter-case-broken'),
  manner('does not know capitals', 'NAMESERVER09', { keepsCase: 'NXDOMAIN' }, 'ns-letter-case-broken'),
  manner('answers EDNS version 1', 'NAMESERVER10', { nextEdns: 'NOERROR' }, 'ns-edns-version-broken'),
  manner(
    'FORMERR to an unknown option',
    'NAMESERVER11',
    { unknownOption: 'FORMERR' },
    'ns-edns-option-broken',
  ),
  manner('drops an unknown option', 'NAMESERVER11', { unknownOption: 'silence' }, 'ns-edns-option-broken'),
  manner('has no TCP', 'CONNECTIVITY02', { tcp: false }, 'ns-tcp-missing'),
  manner('refuses MX', 'ZONE09', { refuses: 'MX' }, 'ns-type-failed'),
  manner('drops questions for MX', 'ZONE09', { ignoresType: 'MX' }, 'ns-type-failed'),
];

const contents: readonly Fresh[] = [
  {
    kind: 'SYNTAX04',
    name: 'an underscore in the name of a server',
    setup: {
      without: ['@ 3600 NS ns2'],
      add: ['@ 3600 NS ns_2.a.test', `ns_2.a.test 3600 A ${ns2}`],
      parentWithout: ['a.test 3600 NS ns2', 'ns2'],
      parentAdd: ['a.test 3600 NS ns_2.a.test', `ns_2.a.test 3600 A ${ns2}`],
    },
    told: ['ns-name-invalid'],
  },
  {
    kind: 'SYNTAX05',
    name: 'an @ in RNAME',
    setup: soa('ns1.a.test hostmaster@a.test 1 14400 3600 1209600 3600'),
    told: ['soa-rname-invalid'],
  },
  {
    kind: 'SYNTAX06',
    name: 'RNAME at a domain without mail',
    setup: soa('ns1.a.test hostmaster.gone.test 1 14400 3600 1209600 3600'),
    told: ['soa-rname-no-mail'],
  },
  {
    kind: 'SYNTAX07',
    name: 'a primary that does not exist',
    setup: soa('gone.a.test hostmaster.a.test 1 14400 3600 1209600 3600'),
    told: ['soa-mname-without-address'],
  },
  {
    kind: 'SYNTAX08',
    name: 'an address as the mail host',
    setup: { without: ['@ 3600 MX'], add: ['@ 3600 MX 10 198.41.0.25'] },
    told: ['mx-address-literal'],
  },
  {
    kind: 'ZONE02',
    name: 'a refresh of five minutes',
    setup: soa('ns1.a.test hostmaster.a.test 1 300 200 1209600 3600'),
    told: ['soa-refresh-range'],
  },
  {
    kind: 'ZONE03',
    name: 'retry above refresh',
    setup: soa('ns1.a.test hostmaster.a.test 1 3600 7200 1209600 3600'),
    told: ['soa-retry-range'],
  },
  {
    kind: 'ZONE05',
    name: 'expire after a day',
    setup: soa('ns1.a.test hostmaster.a.test 1 14400 3600 86400 3600'),
    told: ['soa-expire-range'],
  },
  {
    kind: 'ZONE06',
    name: 'absence is remembered for two days',
    setup: soa('ns1.a.test hostmaster.a.test 1 14400 3600 1209600 172800'),
    told: ['soa-minimum-range'],
  },
  {
    kind: 'ZONE07',
    name: 'a primary by an alias',
    setup: {
      ...soa('alias.a.test hostmaster.a.test 1 14400 3600 1209600 3600'),
      add: [
        '@ 3600 SOA alias.a.test hostmaster.a.test 1 14400 3600 1209600 3600',
        'alias.a.test 3600 CNAME ns1.a.test',
      ],
    },
    told: ['soa-mname-alias'],
  },
  {
    kind: 'ZONE08',
    name: 'a mail host by an alias',
    setup: {
      without: ['@ 3600 MX'],
      add: ['@ 3600 MX 10 alias.a.test', 'alias.a.test 3600 CNAME mail.a.test'],
    },
    told: ['mx-alias'],
  },
  { kind: 'ZONE09', name: 'no MX, and an address', setup: { without: ['@ 3600 MX'] }, told: ['mx-implicit'] },
  {
    kind: 'ZONE09',
    name: 'one server has other mail hosts',
    setup: second(...but('MX 10', 'MX 20')),
    told: ['mx-inconsistent-servers'],
  },
  {
    kind: 'ZONE09',
    name: 'a null MX beside another',
    setup: { add: ['@ 3600 MX 0 '] },
    told: ['mx-null-mixed'],
  },
  {
    kind: 'ZONE11',
    name: 'two SPF records',
    setup: { add: ['@ 3600 TXT v=spf1 -all'] },
    told: ['spf-multiple'],
  },
  {
    kind: 'ZONE11',
    name: 'octets beyond ASCII in SPF',
    setup: { without: ['@ 3600 TXT'], add: ['@ 3600 TXT v=spf1 mx \u00e9\u0002 -all'] },
    told: ['spf-syntax'],
  },
  {
    kind: 'ZONE11',
    name: 'no SPF in the TXT records',
    setup: { without: ['@ 3600 TXT'], add: ['@ 3600 TXT hello'] },
    told: ['spf-missing'],
  },
  {
    kind: 'ZONE11',
    name: 'SPF of one server differs',
    setup: second(...but('mx -all', 'a -all')),
    told: ['spf-inconsistent-servers'],
  },
  {
    kind: 'ZONE11',
    name: 'only the version',
    setup: { without: ['@ 3600 TXT'], add: ['@ 3600 TXT v=spf1'] },
    told: ['spf-no-all'],
  },
  {
    kind: 'ZONE11',
    name: 'SPF is not the domain’s: another TXT record differs',
    setup: second(head, ...usual, '@ 3600 TXT hello'),
    told: [],
  },
];

const foreignKey = makeKey(257);
const weakKey = (algorithm: number): string => `@ 3600 DNSKEY 257 3 ${algorithm} AwEAAcHVzq2w`;

const chains: readonly Fresh[] = [
  { kind: 'DNSSEC07', name: 'signed, with a DS', setup: { signed: 'with DS' }, told: [] },
  {
    kind: 'DNSSEC07',
    name: 'signed, without a DS',
    setup: { signed: 'without DS' },
    told: ['dnssec-ds-missing'],
  },
  { kind: 'DNSSEC03', name: 'NSEC3 as it should be', setup: { signed: 'with DS', nsec3: true }, told: [] },
  ...[1, 3].map((digest): Fresh => ({
    kind: 'DNSSEC01',
    name: `a DS of digest type ${digest} alone, of a zone without keys`,
    setup: { parentAdd: [ds(13, digest)] },
    told: digest === 1 ? ['dnssec-ds-without-key', 'dnssec-algorithm-weak'] : ['dnssec-algorithm-weak'],
  })),
  ...[0, 7, 67, 127, 128, 188, 252, 253, 254].map((digest): Fresh => ({
    kind: 'DNSSEC01',
    name: `a DS of digest type ${digest} beside a good one`,
    setup: { signed: 'with DS', parentAdd: [ds(13, digest)] },
    told: ['dnssec-number-unknown'],
  })),
  ...[4, 5, 6].map((digest): Fresh => ({
    kind: 'DNSSEC01',
    name: `a DS of digest type ${digest} beside a good one, of a key that is not there`,
    setup: { signed: 'with DS', parentAdd: [ds(13, digest)] },
    told: digest === 4 ? ['dnssec-ds-stale'] : [],
  })),
  ...[1, 3, 6, 12].map((algorithm): Fresh => ({
    kind: 'DNSSEC05',
    name: `a key of the algorithm ${algorithm}, without a DS`,
    setup: { add: [weakKey(algorithm)] },
    told: ['dnssec-algorithm-weak', 'dnssec-ds-missing'],
  })),
  ...[5, 7].map((algorithm): Fresh => ({
    kind: 'DNSSEC05',
    name: `a short key of the algorithm ${algorithm}, without a DS`,
    setup: { add: [weakKey(algorithm)] },
    told: ['dnssec-algorithm-weak', 'dnssec-ds-missing', 'dnssec-key-short'],
  })),
  ...[0, 2, 4, 9, 11, 20, 122, 123, 251, 252, 253, 254, 255].map((algorithm): Fresh => ({
    kind: 'DNSSEC05',
    name: `a key of the algorithm ${algorithm}, without a DS`,
    setup: { add: [weakKey(algorithm)] },
    told: ['dnssec-number-unknown', 'dnssec-ds-missing'],
  })),
  {
    kind: 'DNSSEC05',
    name: 'a key of RSA with SHA-512',
    setup: { add: [weakKey(10)] },
    told: ['dnssec-algorithm-not-recommended', 'dnssec-ds-missing', 'dnssec-key-short'],
  },
  {
    kind: 'DNSSEC02',
    name: 'a DS of a key that is not there',
    setup: {
      signed: 'with DS',
      parentWithout: ['a.test 3600 DS'],
      parentAdd: [dsLine('a.test', foreignKey)],
      resolver: { bogus: 'a.test' },
    },
    told: ['dnssec-ds-without-key', 'dnssec-bogus'],
  },
  {
    kind: 'DNSSEC11',
    name: 'a DS, and no keys',
    setup: { parentAdd: [dsLine('a.test', keySigning)], resolver: { bogus: 'a.test' } },
    told: ['dnssec-ds-without-key', 'dnssec-bogus'],
  },
  {
    kind: 'DNSSEC04',
    name: 'signatures that have expired',
    setup: {
      signed: 'with DS',
      signatures: { fromS: -20 * 86_400, untilS: -86_400 },
      resolver: { bogus: 'a.test' },
    },
    told: ['dnssec-signature-invalid', 'dnssec-bogus'],
  },
  {
    kind: 'DNSSEC07',
    name: 'one server without keys, and a DS',
    setup: { signed: 'with DS', servers: { [ns2]: { own: copy(...unsignedCopy) } } },
    told: ['dnssec-server-signature-invalid', 'dnssec-keys-inconsistent'],
  },
  {
    kind: 'DNSSEC07',
    name: 'one server without keys, and no DS',
    setup: { signed: 'without DS', servers: { [ns2]: { own: copy(...unsignedCopy) } } },
    told: ['dnssec-keys-inconsistent', 'dnssec-ds-missing'],
  },
];

const requests = (name: string, lines: readonly string[], told: Fresh['told'], more: Setup = {}): Fresh => ({
  kind: 'DNSSEC16',
  name: `before the first DS: ${name}`,
  setup: { signed: 'without DS', ...more, add: [...lines, ...(more.add ?? [])] },
  told: ['dnssec-ds-missing', ...told],
});
const own = cds(dsLine('a.test', keySigning, { type: 'CDS' }));
const plainKey = { ...makeKey(257), flags: 1 };

const wishes: readonly Fresh[] = [
  requests('CDS and CDNSKEY of the key', [own, keyLine(keySigning, 'CDNSKEY')], []),
  requests('no CDS', [], []),
  requests(
    'a CDS of no key of the zone, beside a good one',
    [own, cds(dsLine('a.test', foreignKey, { type: 'CDS' }))],
    ['dnssec-cds-mismatch'],
  ),
  requests(
    'a CDS of a key without the SEP flag',
    [cds(dsLine('a.test', zoneSigning, { type: 'CDS' }))],
    ['dnssec-cds-mismatch'],
  ),
  requests(
    'a CDS of a key that is no zone key',
    [own, keyLine(plainKey), cds(dsLine('a.test', plainKey, { type: 'CDS' }))],
    ['dnssec-cds-mismatch'],
  ),
  requests('a CDS that the other key has signed', [own], ['dnssec-cds-unsigned'], { keySigned: ['DNSKEY'] }),
  requests('a CDS whose key does not sign the keys', [own], ['dnssec-cds-mismatch'], { keySigned: ['CDS'] }),
  requests('a CDS without a signature', [own], ['dnssec-cds-unsigned'], {
    afterSigning: (records) =>
      records.filter(
        ({ type, data }) => type !== 'RRSIG' || (data as { typeCovered?: string }).typeCovered !== 'CDS',
      ),
  }),
  requests('a removal', ['@ 3600 CDS 0 0 0 00'], ['dnssec-cds-mismatch']),
  requests('a removal beside a wish', [own, '@ 3600 CDS 0 0 0 00'], ['dnssec-cds-mismatch']),
  {
    kind: 'DNSSEC16',
    name: 'a CDS in a zone without keys',
    setup: { add: [own] },
    told: ['dnssec-cds-mismatch'],
  },
  requests(
    'the servers do not agree on CDNSKEY',
    [own, keyLine(keySigning, 'CDNSKEY')],
    ['dnssec-cds-inconsistent'],
    { servers: { [ns2]: { lacks: 'CDNSKEY' } } },
  ),
];

export const freshZones: readonly Fresh[] = [...delegations, ...manners, ...contents, ...chains, ...wishes];
