import { isMalformed } from '#shared/model/verdict';
import type { TlsObservation } from '../probes/http/port.ts';
import { isAddressHost } from './address-host.ts';
import { parseHsts } from './hsts.ts';
import type { PreloadList } from './preload-list.ts';

/** The http address that browsers leave out for https, and why. JSON. */
export type HstsUpgrade = {
  readonly from: string;
  readonly by: 'header' | 'preload-list';
  /** The host that sent the header, or that the list has. */
  readonly host: string;
};

/** Which hosts a browser holds to https in one walk (RFC 6797 §8). */
export type HstsStore = {
  /** Takes the first field of an answer; one counts only over TLS without any error (§8.1). */
  keep(tls: TlsObservation | null, field: string | undefined, url: URL): void;
  /** Where a browser goes instead; undefined where it goes to this address. */
  upgrade(url: URL): { readonly to: URL; readonly seen: HstsUpgrade } | undefined;
};

/** Opens the store of a browser that has only its preload list. */
export function openHstsStore(preloadList: PreloadList): HstsStore {
  /** Host → whether its subdomains are held too. */
  const held = new Map<string, boolean>();
  const findHolder = (host: string) =>
    domainsOf(host).find((domain) => held.has(domain) && (domain === host || held.get(domain) === true));
  return {
    keep(tls, field, url) {
      const host = hostOf(url);
      if (tls?.trusted !== true || field === undefined || isAddressHost(url.hostname)) return;
      const hsts = parseHsts(field);
      if (isMalformed(hsts)) return;
      if (hsts.maxAgeS === 0) held.delete(host);
      else held.set(host, hsts.includeSubDomains);
    },
    upgrade(url) {
      if (url.protocol !== 'http:' || isAddressHost(url.hostname)) return undefined;
      const host = hostOf(url);
      const holder = findHolder(host);
      if (holder === undefined && preloadList(host) !== 'listed') return undefined;
      // A port of its own stays; 80 becomes 443 (§8.3).
      const to = new URL(url);
      to.protocol = 'https:';
      const by = holder === undefined ? 'preload-list' : 'header';
      return { to, seen: { from: url.href, by, host: holder ?? host } };
    },
  };
}

/** The host without the dot of the root: both names are one host to browsers. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/\.$/, '');
}

/** The name and all above it. */
function domainsOf(host: string): string[] {
  const labels = host.split('.');
  return labels.map((_, at) => labels.slice(at).join('.'));
}
