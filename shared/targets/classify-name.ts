import { domainToUnicode } from 'node:url';
import { isAddress } from './classify-address.ts';

export type NameFault = { readonly kind: 'malformed' | 'refused'; readonly why: string };

// Names that never lead to a public host: RFC 6761, RFC 6762, RFC 7686, RFC 8375, RFC 9476, and .internal, which ICANN reserved.
const specialUseSuffixes = suffixesOf([
  'localhost',
  'local',
  'localdomain',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'home.arpa',
  'resolver.arpa',
  'ipv4only.arpa',
  'in-addr.arpa',
  'ip6.arpa',
  'onion',
  'test',
  'invalid',
  'example',
  'alt',
]);

/**
 * Judges a host name in ASCII, lower case and without the last dot.
 * @param allowedSuffixes special-use names that the operator allows, e.g. ["test"]
 * @param labelPattern the allowed labels: of a host (LDH) or of a domain (which may start with an underscore)
 * @returns undefined for a good name; `malformed` for a name that no resolver could be asked for, `refused` for special-use and
 * single-label names
 */
export function judgeName(
  name: string,
  allowedSuffixes: readonly string[],
  labelPattern: RegExp,
): NameFault | undefined {
  const labels = name.split('.');
  if (name.length > 253)
    return { kind: 'malformed', why: `is longer than the 253 characters of a domain name (RFC 1035 §2.3.4)` };
  const faulty = labels.find(
    (label) => label.length < 1 || label.length > 63 || !labelPattern.test(label) || isFakePunycode(label),
  );
  if (faulty !== undefined) return { kind: 'malformed', why: whyLabelIsFaulty(faulty) };
  // The WHATWG URL parser reads a name with a numeric last label as an address. No top-level domain is a number.
  if (isAddress(name) || /^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? ''))
    return { kind: 'malformed', why: 'ends in a number' };
  const why = judgeSuffix(name, allowedSuffixes);
  return why === undefined ? undefined : { kind: 'refused', why };
}

/**
 * Judges only the end of a name: a name in a record need not be a host name.
 * @param name in lower case, without the last dot
 * @returns undefined for a name of the public DNS, else what is wrong as a clause: "is a special-use name"
 */
export function judgeSuffix(name: string, allowedSuffixes: readonly string[]): string | undefined {
  if (!name.includes('.') && !allowedSuffixes.includes(name)) return 'is a single label';
  if (isUnder(name, specialUseSuffixes) && !isUnder(name, suffixesOf(allowedSuffixes)))
    return 'is a special-use name';
  return undefined;
}

/** Letters, digits, underscores and inner hyphens. RFC 1123 §2.1 has no underscore, but hosts with one exist and resolve. */
export const hostLabel = /^(?!-)[a-z0-9_-]+(?<!-)$/;

// Node's domainToASCII accepts "xn--a", which is not valid Punycode (measured). Decoding leaves such a label unchanged.
function isFakePunycode(label: string): boolean {
  return label.startsWith('xn--') && domainToUnicode(label).startsWith('xn--');
}

function whyLabelIsFaulty(label: string): string {
  if (label === '') return 'has an empty label';
  if (label.length > 63) return `has a label longer than 63 characters (RFC 1035 §2.3.4)`;
  if (isFakePunycode(label))
    return `has the label "${label}", which is not Punycode of any name (RFC 5891 §4.2)`;
  return `has the label "${label}", which is not letters, digits and inner hyphens (RFC 1123 §2.1)`;
}

type Suffix = { readonly name: string; readonly below: string };

function suffixesOf(names: readonly string[]): readonly Suffix[] {
  return names.map((name) => ({ name, below: `.${name}` }));
}

function isUnder(name: string, suffixes: readonly Suffix[]): boolean {
  return suffixes.some((suffix) => name === suffix.name || name.endsWith(suffix.below));
}
