import { siteOf } from '#shared/targets/parse-target';

/** A longer address is cut. */
const longestAddress = 2048;

/**
 * An address that a page asked for, without what may be a secret: no user information and no fragment; of another site than the page's only
 * the names of its query; of data: and blob: only the kind and the length.
 * @param ownSite the registrable domain of the page that was asked for
 */
export function cleanAddress(address: string, ownSite: string): string {
  const inline = /^(?:data:([a-z]{1,30}\/[a-z0-9.+-]{1,60})?|blob:)/i.exec(address);
  if (inline) {
    const [kind, type] = [inline[0].toLowerCase(), inline[1]];
    return `${kind}${type === undefined && kind === 'blob:' ? '' : ';'}length=${address.length}`;
  }
  const url = URL.parse(address);
  if (!url) return address.replace(/[?#][^]*$/, '').slice(0, longestAddress);
  url.username = '';
  url.password = '';
  url.hash = '';
  const isForeign = siteOf(url.hostname) !== ownSite;
  if (isForeign) url.search = namesOf(url.search);
  return url.href.slice(0, longestAddress).replace(/%[\dA-F]?$/i, '');
}

function namesOf(query: string): string {
  const names = query
    .slice(1)
    .split('&')
    .flatMap((pair) => {
      const at = pair.indexOf('=');
      // A pair without a name is a value.
      return at > 0 ? [`${pair.slice(0, at)}=`] : [];
    });
  return names.length === 0 ? '' : `?${names.join('&')}`;
}

/** A text of the page in which addresses stand, each without what may be a secret. */
export function cleanText(text: string, ownSite: string): string {
  if (!/:[/\\]{2}|data:/i.test(text)) return text;
  return text
    .replace(/\b(?:https?|wss?):[/\\]{2}[^\s"'<>()]+/gi, (address) => cleanAddress(address, ownSite))
    .replace(/\bdata:([a-z]{1,30}\/[a-z0-9.+-]{1,60})[;,][^\s"'<>()]*/gi, 'data:$1');
}

/** JSON with each of its texts cleaned; texts of pictures, which hold no address, are left as they are. */
export function cleanTexts<T>(value: T, ownSite: string): T {
  return clean(value, ownSite) as T;
}

function clean(value: unknown, ownSite: string): unknown {
  if (typeof value === 'string') return cleanText(value, ownSite);
  if (Array.isArray(value)) return value.map((item) => clean(item, ownSite));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, clean(item, ownSite)]));
}
