import { getDomain } from 'tldts';

/** True for a name below which strangers register theirs ("co.uk", "com"), by the ICANN part of the Public Suffix List. */
export function isPublicSuffix(name: string): boolean {
  return getDomain(name, { validateHostname: false }) === null;
}
