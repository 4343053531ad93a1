/**
 * Names of rows in the tables here that back a row of test/docs/peer-rows.ts, by the row's name. The zones of test/lab/dns-check/fresh-zones.ts
 * name their row themselves.
 */
export const peerCases: { readonly [line: string]: readonly string[] } = {
  ADDRESS01: ['a name server at a private address is not asked'],
  BASIC01: ['a server of the parent that has no DS yet', 'a server of the parent that knows no such name'],
  BASIC03: ['a question that fails is told, costs nothing and leaves what hangs on it open'],
  CONNECTIVITY01: [
    'one silent server costs as much as one that refuses, where others of its kind answer',
    'servers that all refuse us, while the resolver gets answers, refuse us alone',
  ],
  CONNECTIVITY03: ['name servers in one autonomous system'],
  CONSISTENCY02: ['two sources with one serial differ in a timer'],
  CONSISTENCY03: ['two sources with one serial differ in a timer'],
  CONSISTENCY05: ['a name server whose IPv6 address the parent does not have', 'glue that is missing'],
  DELEGATION01: [
    'name servers with IPv6 alone are out of reach for most resolvers',
    'no name server with IPv6',
    'one name server only with IPv6',
  ],
  DELEGATION02: ['two of three names for one address'],
  DELEGATION04: [
    'a server that refuses while others answer does not serve the zone',
    'servers that all refuse us, while the resolver gets answers, refuse us alone',
  ],
  DELEGATION06: [
    'a server that refuses while others answer does not serve the zone',
    'a question that fails is told, costs nothing and leaves what hangs on it open',
  ],
  DELEGATION07: ['a name server that the parent does not know'],
  DNSSEC01: [
    'a server of the parent that has no DS yet',
    'a DS of SHA-1 beside one of SHA-256, which validators ignore, is not to be published (RFC 9905)',
  ],
  DNSSEC02: ['a DS beside the right one, whose key is gone'],
  DNSSEC03: ['NSEC3 with ten iterations', 'NSEC3 with a salt', 'NSEC3 with opt-out'],
  DNSSEC04: ['six hours left of thirty days', 'two days left of thirty'],
  DNSSEC06: ['a secondary whose copy has lost its signatures', 'a server that ignores EDNS'],
  DNSSEC07: ['a zone that is not signed'],
  DNSSEC08: ['signatures that have expired', 'a secondary whose copy has lost its signatures'],
  DNSSEC09: ['signatures of the future'],
  DNSSEC10: [
    'no server proves anything',
    'one server that leaves out its proofs',
    'a host that the chain skips {}',
  ],
  DNSSEC11: ['a secondary whose copy has lost its signatures'],
  DNSSEC13: ['a key of RSA/SHA-1 with 1024 bits'],
  DNSSEC14: ['a key of RSA/SHA-1 with 1024 bits'],
  DNSSEC15: [
    'a CDS of a key that is not in the zone',
    'one server has no CDS yet, whatever the resolver has met',
  ],
  DNSSEC17: ['a CDNSKEY of a key that is not in the zone'],
  DNSSEC18: ['a CDS that the zone-signing key alone has signed'],
  NAMESERVER02: ['a server that ignores EDNS'],
  NAMESERVER03: ['a server that gives the zone to everybody'],
  NAMESERVER06: ['a name server whose name does not exist'],
  SYNTAX06: ['an RNAME at a domain that does not exist', 'an @ in RNAME'],
  SYNTAX08: ['something that is no host name'],
  ZONE01: ['a primary whose name does not exist'],
  ZONE04: ['refresh of ten minutes'],
  ZONE09: ['localhost as the mail host of a domain without senders'],
  'IPv6 of name servers: two of them': ['no name server with IPv6', 'one name server only with IPv6'],
  'IPv6 of name servers: they answer': [
    'one silent server costs as much as one that refuses, where others of its kind answer',
  ],
  'IPv6 of mail hosts': ['one host with one address'],
  'DNSSEC of the domain: signed, valid': [
    'a zone that is not signed',
    'a zone that the resolver refuses is bogus, and all else is judged without checking',
  ],
  "DNSSEC of the mail hosts' domains": ['a mail host whose address is not signed'],
  'DMARC: there, policy strict enough': [
    'no DMARC record',
    'a policy that only watches',
    'a version in small letters',
    'no reports',
  ],
  'DKIM: `_domainkey` exists': ['no selector can exist'],
  'SPF: there, policy strict enough': [
    'no SPF record',
    'a typing slip in a term',
    'a neutral end',
    'everybody may send',
    'eleven lookups',
  ],
  'DANE: TLSA there, usable, rollover': [
    'MTA-STS alone is enough',
    'a host without TLSA',
    'a TLSA record for the web',
    'a TLSA digest that was cut',
    'one TLSA record',
  ],
  CAA: [
    'an issuer with a dot at its end',
    'a property that is misspelt',
    'no method at all',
    'one method that does not exist, beside one that does',
    'a contact with a scheme',
    'an iodef without a scheme',
    'no CAA up to the root',
  ],
};

/** What no check takes for a domain, by the line that tests its characters. */
export const refusedNames: { readonly [line: string]: string } = {
  SYNTAX01: 'a!b.example.com',
  SYNTAX02: '-ab.example.com',
};
