import { makePreloadList, type PreloadList } from './preload-list.ts';

/**
 * Reads Chromium's list of hosts that browsers hold to https (net/http/transport_security_state_static.json): JSON with lines of comment,
 * whose entries of mode force-https count.
 * @throws Error where the text is no such list: it is the operator's file, and one that says nothing must not pass for one that knows all
 */
export function readPreloadFile(text: string): PreloadList {
  const list: unknown = JSON.parse(text.replaceAll(/^[ \t]*\/\/.*$/gm, ''));
  const entries = typeof list === 'object' && list !== null && 'entries' in list ? list.entries : undefined;
  if (!Array.isArray(entries)) throw new Error('The HSTS preload list has no entries.');
  const hosts = new Map(entries.flatMap(readEntry));
  if (hosts.size === 0) throw new Error('The HSTS preload list has no entry of mode force-https.');
  return makePreloadList(hosts);
}

function readEntry(entry: unknown): (readonly [host: string, coversSubdomains: boolean])[] {
  if (typeof entry !== 'object' || entry === null || !('name' in entry) || !('mode' in entry)) return [];
  const { name, mode } = entry;
  if (typeof name !== 'string' || mode !== 'force-https') return [];
  return [[name.toLowerCase(), 'include_subdomains' in entry && entry.include_subdomains === true]];
}
