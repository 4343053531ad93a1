import type { DnsCheckCode } from '#shared/catalogue/dns-check/rules';

/** What a peer tests, and how dns-check has it. */
export type PeerRow = {
  /** The case of Zonemaster, or the subtest of Internet.nl. */
  readonly name: string;
  readonly word: 'match' | 'better' | 'part' | 'left out';
  /** What the same fault is reported as. */
  readonly codes: readonly DnsCheckCode[];
  /** What differs, and why; empty where nothing does. */
  readonly note: string;
};

type Said = Omit<PeerRow, 'name'>;

const match = (codes: readonly DnsCheckCode[], note = ''): Said => ({ word: 'match', codes, note });
const better = (codes: readonly DnsCheckCode[], note: string): Said => ({ word: 'better', codes, note });
const part = (codes: readonly DnsCheckCode[], note: string): Said => ({ word: 'part', codes, note });
const leftOut = (note: string): Said => ({ word: 'left out', codes: [], note });

const rowsOf = (table: Readonly<Record<string, Said>>): readonly PeerRow[] =>
  Object.entries(table).map(([name, said]) => ({ name, ...said }));

const reverse =
  'no resolver reads the reverse DNS of name servers; that of mail hosts is judged (`ptr-missing`, `ptr-not-confirmed`)';
const weak: readonly DnsCheckCode[] = [
  'dnssec-algorithm-weak',
  'dnssec-algorithm-not-recommended',
  'dnssec-number-unknown',
];
const cdsNote =
  'CDS and CDNSKEY are judged before the first DS too; a further signature by a key that is gone is no finding';
const rfc1912 = 'the bounds are those of RFC 1912, in which the large providers are';
const refusedTarget = 'such a target is refused as no domain name';

/** The 73 implemented test cases of Zonemaster's engine. */
export const zonemasterRows = rowsOf({
  ADDRESS01: match(['ns-address-not-public']),
  ADDRESS02: leftOut(reverse),
  ADDRESS03: leftOut(reverse),
  BASIC01: part(
    ['domain-not-found', 'ns-parent-inconsistent', 'ns-parent-denies'],
    'three servers of the parent are asked for the delegation, all where one differs, whatever the resolver was told; nothing walks down from the root',
  ),
  BASIC02: better(
    ['ns-none-answers'],
    'F only where it is proven that no server answers; no letter where the zone was not seen',
  ),
  BASIC03: match(['lookup-failed']),
  CONNECTIVITY01: match(['ns-silent', 'ns-refused']),
  CONNECTIVITY02: better(
    ['ns-tcp-missing'],
    'TCP is tried twice, with a server of the parent zone as control',
  ),
  CONNECTIVITY03: match(['ns-same-as'], 'info only, and only with `ORIGIN_ASN_ZONE`'),
  CONNECTIVITY04: match(['ns-same-prefix'], 'anycast that shares only its IPv6 prefix is no fault'),
  CONSISTENCY01: match(['soa-serial-mismatch']),
  CONSISTENCY02: match(['soa-fields-mismatch']),
  CONSISTENCY03: match(['soa-fields-mismatch']),
  CONSISTENCY04: match(['ns-inconsistent']),
  CONSISTENCY05: better(
    ['ns-glue-mismatch', 'ns-glue-incomplete', 'ns-glue-missing', 'ns-without-address'],
    'glue of servers in a sister domain is compared too',
  ),
  CONSISTENCY06: match(['soa-fields-mismatch']),
  DELEGATION01: match(['ns-single', 'ns-no-ipv4', 'ns-no-ipv6', 'ns-few-ipv6']),
  DELEGATION02: match(['ns-same-address', 'ns-shared-address']),
  DELEGATION03: leftOut('a referral above 512 octets hurts no resolver of today: all use EDNS or TCP'),
  DELEGATION04: better(['ns-lame', 'ns-refused'], 'a server that only refuses us is told apart'),
  DELEGATION05: match(['ns-cname-target']),
  DELEGATION06: match(['ns-lame', 'lookup-failed']),
  DELEGATION07: better(
    ['ns-parent-child-mismatch', 'ns-parent-child-disjoint'],
    'the fix has the names to enter at the parent',
  ),
  DNSSEC01: part(
    [...weak, 'dnssec-ds-inconsistent'],
    'three servers of the parent are asked for the DS, all where one differs',
  ),
  DNSSEC02: match(['dnssec-ds-without-key', 'dnssec-ds-stale']),
  DNSSEC03: match(['dnssec-nsec3-iterations', 'dnssec-nsec3-salt', 'dnssec-nsec3-opt-out']),
  DNSSEC04: better(
    ['dnssec-signature-expires-today', 'dnssec-signature-expires-soon'],
    'judged by the part of the life that is left; a long life is no fault',
  ),
  DNSSEC05: match(weak),
  DNSSEC06: match(['dnssec-server-signature-invalid', 'ns-edns-broken']),
  DNSSEC07: match(
    ['dnssec-ds-missing', 'dnssec-unsigned', 'dnssec-keys-inconsistent'],
    'keys may differ where those of any server fit the signatures of all (RFC 8901)',
  ),
  DNSSEC08: match(['dnssec-signature-invalid', 'dnssec-server-signature-invalid']),
  DNSSEC09: match(['dnssec-signature-invalid']),
  DNSSEC10: better(
    ['dnssec-denial-invalid', 'dnssec-server-denial-invalid', 'dnssec-denial-hides'],
    'a name and a type that are not there are asked at each server; what is denied is held against what the server has; wildcards, white lies and compact denial (RFC 9824) are right',
  ),
  DNSSEC11: match(['dnssec-ds-without-key', 'dnssec-keys-inconsistent']),
  DNSSEC13: match(['dnssec-algorithm-not-signing']),
  DNSSEC14: match(['dnssec-key-short']),
  DNSSEC15: part(
    ['dnssec-cds-mismatch', 'dnssec-cds-inconsistent'],
    'CDS and CDNSKEY of all servers are compared; CDS without CDNSKEY is no finding',
  ),
  DNSSEC16: part(['dnssec-cds-mismatch', 'dnssec-cds-unsigned'], cdsNote),
  DNSSEC17: part(['dnssec-cds-mismatch'], cdsNote),
  DNSSEC18: match(['dnssec-cds-unsigned']),
  NAMESERVER01: match(['ns-open-recursion']),
  NAMESERVER02: better(['ns-edns-broken'], 'an answer that drops EDNS is told from a lost packet'),
  NAMESERVER03: match(['zone-transfer-open'], 'only with `PROBE_AXFR=on`'),
  NAMESERVER04: leftOut('the socket takes answers of the asked address alone; any other reads as silence'),
  NAMESERVER05: match(['ns-type-failed']),
  NAMESERVER06: match(['ns-without-address']),
  NAMESERVER07: match(['ns-upward-referral']),
  NAMESERVER08: match(['ns-letter-case-broken']),
  NAMESERVER09: match(['ns-letter-case-broken']),
  NAMESERVER10: match(['ns-edns-version-broken'], 'info only, as no resolver uses another version of EDNS'),
  NAMESERVER11: part(['ns-edns-option-broken'], 'an unknown EDNS option that is only sent back is not told'),
  NAMESERVER12: leftOut('the probe sends no EDNS flag but DO'),
  NAMESERVER13: leftOut('a truncated answer needs a long one on purpose'),
  NAMESERVER15: leftOut('the version of the software is no fault, and asking looks like reconnaissance'),
  SYNTAX01: match([], refusedTarget),
  SYNTAX02: match([], refusedTarget),
  SYNTAX03: leftOut('resolvers and browsers take names with double hyphens'),
  SYNTAX04: match(['ns-name-invalid']),
  SYNTAX05: match(['soa-rname-invalid']),
  SYNTAX06: better(['soa-rname-invalid', 'soa-rname-no-mail'], 'escaped dots of the RNAME are read'),
  SYNTAX07: match(['soa-mname-without-address']),
  SYNTAX08: match(['mx-name-invalid', 'mx-address-literal']),
  ZONE01: part(['soa-mname-without-address'], 'a hidden primary is no fault, and is not asked'),
  ZONE02: better(['soa-refresh-range'], rfc1912),
  ZONE03: match(['soa-retry-range']),
  ZONE04: better([], rfc1912),
  ZONE05: better(['soa-expire-range'], rfc1912),
  ZONE06: better(['soa-minimum-range'], 'from 60 s, as OVH sets it for every zone; Zonemaster wants 300 s'),
  ZONE07: match(['soa-mname-alias']),
  ZONE08: match(['mx-alias']),
  ZONE09: match(['mx-inconsistent-servers', 'mx-implicit', 'mx-null-missing', 'mx-null-mixed']),
  ZONE10: leftOut('servers of today cannot load two SOA records'),
  ZONE11: better([], 'about 35 `spf-…` codes over the whole tree of SPF records'),
});

const smtpCheck = 'smtp-check asks mail hosts on port 25, with `PROBE_SMTP=on`; dns-check does not';

/** The subtests of Internet.nl on mail and DNS. */
export const internetNlRows = rowsOf({
  'IPv6 of name servers: two of them': match(['ns-no-ipv6', 'ns-few-ipv6']),
  'IPv6 of name servers: they answer': match(['ns-silent']),
  'IPv6 of mail hosts': match(['mx-no-ipv6']),
  'IPv6 of mail hosts: they answer on port 25': leftOut(smtpCheck),
  'DNSSEC of the domain: signed, valid': better(
    ['dnssec-unsigned', 'dnssec-bogus'],
    'the cause of a bogus answer is reported',
  ),
  "DNSSEC of the mail hosts' domains": part(['dane-without-dnssec'], 'read for DANE alone'),
  'DMARC: there, policy strict enough': match([
    'dmarc-missing',
    'dmarc-policy-none',
    'dmarc-record-ignored',
    'dmarc-rua-missing',
  ]),
  'DKIM: `_domainkey` exists': better(['dkim-none-possible'], 'keys of usual selectors are judged'),
  'SPF: there, policy strict enough': better(
    ['spf-missing', 'spf-syntax', 'spf-all-neutral', 'spf-all-pass', 'spf-too-many-lookups'],
    'the lookups of the whole tree are counted',
  ),
  'STARTTLS: offered, versions, ciphers, parameters': leftOut(smtpCheck),
  'STARTTLS: certificate of the mail host': leftOut(smtpCheck),
  'DANE: TLSA there, usable, rollover': part(
    ['dane-missing', 'dane-partial', 'dane-unusable', 'dane-bad-length', 'dane-single-record'],
    'smtp-check matches the records with the certificate',
  ),
  CAA: match([
    'caa-value-malformed',
    'caa-tag-unknown',
    'caa-methods-none-known',
    'caa-method-unknown',
    'caa-contact-invalid',
    'caa-iodef-invalid',
    'caa-missing',
  ]),
  'RPKI of name servers and mail hosts': leftOut('the service has no data of routes'),
});
