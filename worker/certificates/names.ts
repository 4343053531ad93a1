import { getPublicSuffix } from 'tldts';

/**
 * Whether a host is named by an entry of subjectAltName as browsers compare them (RFC 9525 §6.3): without regard to case, a wildcard only as the
 * whole first label and for exactly one, and none for all names of a public suffix, such as *.co.uk. Labels may hold what host names may not, such as "_".
 * @param host in lower case, A-labels, without the last dot
 */
export function isNamedBy(host: string, names: readonly string[]): boolean {
  return names.some((name) => isSameName(host, name));
}

/** The same for one name. */
export function isSameName(host: string, presented: string): boolean {
  const name = presented.toLowerCase();
  if (!isReadable(name)) return false;
  if (!name.startsWith('*.')) return name === host;
  const parent = name.slice(2);
  const [, below] = /^[^.]+\.(.+)$/.exec(host) ?? [];
  return below === parent && !isPublic(parent);
}

/** Labels without end, and a star anywhere else than as the first label, name nothing. */
function isReadable(name: string): boolean {
  const labels = name.split('.');
  const rest = labels[0] === '*' ? labels.slice(1) : labels;
  return rest.length > 0 && rest.every((label) => label !== '' && !label.includes('*'));
}

/** Private suffixes, such as those of hosting companies, may have wildcards of their own. */
function isPublic(parent: string): boolean {
  return getPublicSuffix(parent, { allowPrivateDomains: false }) === parent;
}
