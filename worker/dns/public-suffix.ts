import { getDomain } from 'tldts';

/** True for a name below which strangers register theirs ("co.uk", "com"), by the ICANN part of the Public Suffix List. */
export function isPublicSuffix(name: string): boolean {
  return getDomain(name, { validateHostname: false }) === null;
}

/** True for names of one owner: below the same name as registries sell it. */
export function haveOneOwner(one: string, other: string): boolean {
  const owner = getDomain(one, { validateHostname: false });
  return owner !== null && owner === getDomain(other, { validateHostname: false });
}
