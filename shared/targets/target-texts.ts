// The form of targets as patterns that ECMA 262, RE2 and Python read alike: no look-around, no named classes. They say what callers may
// write. parse-target finds the faults that a pattern cannot.

const octet = '(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
const ipv4 = `${octet}(?:\\.${octet}){3}`;
const group = '[0-9A-Fa-f]{1,4}';
const lastTwo = `(?:${group}:${group}|${ipv4})`;
/** The alternatives of RFC 3986 §3.2.2: "::" stands for the groups that are left out. */
const ipv6 = [
  `(?:${group}:){6}${lastTwo}`,
  `::(?:${group}:){5}${lastTwo}`,
  `(?:${group})?::(?:${group}:){4}${lastTwo}`,
  ...[3, 2, 1].map(
    (after) => `(?:(?:${group}:){0,${4 - after}}${group})?::(?:${group}:){${after}}${lastTwo}`,
  ),
  `(?:(?:${group}:){0,4}${group})?::${lastTwo}`,
  `(?:(?:${group}:){0,5}${group})?::${group}`,
  `(?:(?:${group}:){0,6}${group})?::`,
].join('|');

/** An IPv4 address of four decimal parts, or an IPv6 address without a zone. */
export const addressText = new RegExp(`^(?:${ipv4}|${ipv6})$`);

const inner = '[A-Za-z0-9_]|[^\\x00-\\x7f]';
const label = `(?:${inner})(?:(?:${inner}|-){0,61}(?:${inner}))?`;
// The URL standard reads a name that ends in a number as an address, and no top-level domain begins with a digit.
const lastLabel = `(?:[A-Za-z_]|[^\\x00-\\x7f])(?:(?:${inner}|-){0,61}(?:${inner}))?`;
const domain = `(?:${label}\\.)*${lastLabel}\\.?`;

/** A domain name as people write it, in Unicode or Punycode. */
export const domainText = new RegExp(`^${domain}$`);

/** A domain, or a web address. */
export const targetText = new RegExp(`^(?:${domain}|[Hh][Tt][Tt][Pp][Ss]?://[^\\x00-\\x20\\x7f]+)$`);
