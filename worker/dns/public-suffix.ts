import { getDomain, parse } from 'tldts';

/** True for a name below which strangers register theirs ("co.uk", "com"), by the ICANN part of the Public Suffix List. */
export function isPublicSuffix(name: string): boolean {
  return getDomain(name, { validateHostname: false }) === null;
}

/** True for names of one owner: below the same name as registries sell it. */
export function haveOneOwner(one: string, other: string): boolean {
  const owner = getDomain(one, { validateHostname: false });
  return owner !== null && owner === getDomain(other, { validateHostname: false });
}

/** True for a name that a registry sells, with nothing before it: "example.co.uk". */
export function isRegistrable(name: string): boolean {
  return getDomain(name, { validateHostname: false }) === name;
}

/** True for a host below a name that a registry sells, under a suffix that the list really has: "ns1.example.com", not "ns1.example.lan". */
export function isHostUnderSuffix(name: string): boolean {
  const { isIcann, domain } = parse(name, { validateHostname: false });
  return isIcann === true && domain !== null && domain !== name;
}
