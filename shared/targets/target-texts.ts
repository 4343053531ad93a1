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

// Controls, spaces and the marks that reverse or hide text, as themselves: engines spell code points above
// U+00FF differently, and RegExp.source would spell U+2028.
const hidden = '\u200e\u200f\u2027-\u202e\u2066-\u2069\ufeff\ufffd';
const beyondAscii = `[^\\x00-\\xa0${hidden}]`;
const inner = `[A-Za-z0-9_]|${beyondAscii}`;
const label = `(?:${inner})(?:(?:${inner}|-){0,61}(?:${inner}))?`;
// The URL standard reads a name that ends in a number as an address, and no top-level domain begins with a digit.
const lastLabel = `(?:[A-Za-z_]|${beyondAscii})(?:(?:${inner}|-){0,61}(?:${inner}))?`;
const domain = `(?:${label}\\.)*${lastLabel}\\.?`;

/** A domain name as people write it, in Unicode or Punycode. */
export const domainText = new RegExp(`^${domain}$`);

const port = ':(?:[0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])';
const place = `[/?#][^\\x00-\\x20\\x7f-\\xa0\\\\${hidden}]*`;
const webAddress = `[Hh][Tt][Tt][Pp][Ss]?://(?:${domain}|${ipv4}|\\[(?:${ipv6})\\])(?:${port})?(?:${place})?`;

/** An absolute http or https URL. A browser would repair more than this. */
export const webAddressText = new RegExp(`^${webAddress}$`);

/** A domain, or a web address. */
export const targetText = new RegExp(`^(?:${domain}|${webAddress})$`);
