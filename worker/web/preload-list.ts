/** What is known of a host's place on the preload list. */
export type PreloadState = 'listed' | 'not-listed' | 'unknown';

/** Tells whether browsers hold a host to https from the start. */
export type PreloadList = (host: string) => PreloadState;

// Top-level domains that Chromium's list holds whole (net/http/transport_security_state_static.json, policy public-suffix).
const preloadedTopLevels: ReadonlySet<string> = new Set(
  'android app bank chrome dev foo gle gmail google hangout insurance meet new page play search youtube'.split(
    ' ',
  ),
);

/** What is known without the list: whole top-level domains; all else is unknown. */
export const builtInPreloadList: PreloadList = (host) =>
  preloadedTopLevels.has(host.slice(host.lastIndexOf('.') + 1)) ? 'listed' : 'unknown';

/**
 * A list of names → whether their subdomains are covered too, as Chromium's JSON gives them (mode force-https).
 * A host that is on it neither by itself nor by a name above is not listed.
 */
export function makePreloadList(entries: ReadonlyMap<string, boolean>): PreloadList {
  return (host) => {
    if (entries.has(host) || builtInPreloadList(host) === 'listed') return 'listed';
    for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1))
      if (entries.get(host.slice(dot + 1)) === true) return 'listed';
    return 'not-listed';
  };
}

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
