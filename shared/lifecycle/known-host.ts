import { classifyAddress, isAddress } from '../targets/classify-address.ts';

/** Tells whether a Host field names this service. */
export type IsKnownHost = (host: string | undefined) => boolean;

/** Where a listener listens, and the address that callers use (PUBLIC_URL). */
export type ListeningPlace = { readonly host: string; readonly publicUrl: string | undefined };

/**
 * Makes what judges the Host field of a listener. A web page can point its own name at any address and then reads, through a
 * visitor's browser, what is meant for that visitor alone. No page can take the name localhost or an address, so without PUBLIC_URL
 * every other name is foreign. On loopback only names of this machine and that of PUBLIC_URL are known. Elsewhere PUBLIC_URL lets
 * all names in: a proxy before us may have changed the field. A request without the field is no browser's.
 */
export function openHostCheck({ host: listenHost, publicUrl }: ListeningPlace): IsKnownHost {
  const isOwnMachine = isLoopback(listenHost.toLowerCase());
  if (publicUrl !== undefined && !isOwnMachine) return () => true;
  const own = publicUrl === undefined ? undefined : nameOfHost(new URL(publicUrl).hostname);
  let lastKnown: string | undefined;
  return (host = '') => {
    if (host === lastKnown) return true;
    const name = nameOfHost(host);
    const isKnown =
      name === own || isLoopback(name) || (!isOwnMachine && (isAddress(name) || host.trim() === ''));
    if (isKnown) lastKnown = host;
    return isKnown;
  };
}

/** True for localhost, a name below it (RFC 6761 §6.3), and an address of loopback. */
export function isLoopback(name: string): boolean {
  if (/^(?:.+\.)?localhost$/.test(name)) return true;
  if (!isAddress(name)) return false;
  const verdict = classifyAddress(name, { allow: [], deny: [] });
  return name === '::1' || (verdict.kind === 'refused' && verdict.rule === 'loopback');
}

/** The name or address of a Host field: lower case, without port, brackets and last dot. */
export function nameOfHost(host: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host.trim()) ?? [];
  return (bracketed ?? plain ?? host).replace(/\.$/, '').toLowerCase();
}
