// IANA "Resource Record (RR) TYPEs": those that a domain's own name is asked for, and what signs and denies them.
const typeNumbers: ReadonlyMap<string, number> = new Map([
  ['A', 1],
  ['NS', 2],
  ['CNAME', 5],
  ['SOA', 6],
  ['PTR', 12],
  ['MX', 15],
  ['TXT', 16],
  ['AAAA', 28],
  ['SRV', 33],
  ['NAPTR', 35],
  ['DNAME', 39],
  ['DS', 43],
  ['SSHFP', 44],
  ['RRSIG', 46],
  ['NSEC', 47],
  ['DNSKEY', 48],
  ['NSEC3', 50],
  ['NSEC3PARAM', 51],
  ['TLSA', 52],
  ['CDS', 59],
  ['CDNSKEY', 60],
  ['SVCB', 64],
  ['HTTPS', 65],
  ['SPF', 99],
  ['CAA', 257],
]);

/** The number of a record type; "TYPE65534" too (RFC 3597 §5). */
export function typeNumberOf(type: string): number | undefined {
  const known = typeNumbers.get(type);
  if (known !== undefined) return known;
  const generic = /^TYPE(\d{1,5})$/.exec(type)?.[1];
  return generic !== undefined && Number(generic) <= 0xffff ? Number(generic) : undefined;
}
