import { URLS as angularUrls } from 'csp_evaluator/dist/allowlist_bypasses/angular.js';
import { URLS as jsonpUrls, NEEDS_EVAL } from 'csp_evaluator/dist/allowlist_bypasses/jsonp.js';
import type { CspSource } from '../grammar/csp-source.ts';

type Bypass = { readonly host: string; readonly path: string; readonly kind: 'jsonp' | 'angular' };

// csp_evaluator parses its 160 addresses again for each source, which takes tens of ms for a long policy; here they are parsed once.
const bypasses: readonly Bypass[] = [...read(jsonpUrls, 'jsonp'), ...read(angularUrls, 'angular')];
const byHost = Map.groupBy(bypasses, ({ host }) => host);
const needsEval: ReadonlySet<string> = new Set(NEEDS_EVAL);

/**
 * The address on csp_evaluator's lists of JSONP endpoints and Angular libraries that a source lets in; undefined where there is none.
 * @param hasEval some endpoints help an attacker only beside 'unsafe-eval'
 */
export function findBypass(source: CspSource, hasEval: boolean): Bypass | undefined {
  if (source.kind !== 'host' || !source.host.includes('.')) return undefined;
  const isWild = source.host.startsWith('*.');
  const candidates = isWild
    ? bypasses.filter(({ host }) => host.endsWith(source.host.slice(1)))
    : (byHost.get(source.host) ?? []);
  return candidates.find(
    ({ host, path, kind }) =>
      matchesPath(source.path, path) && (kind === 'angular' || hasEval || !needsEval.has(host)),
  );
}

// CSP3, "path-part match": a path that ends in a slash covers all below it, any other only itself.
function matchesPath(allowed: string | null, path: string): boolean {
  if (allowed === null || allowed === '/') return true;
  return allowed.endsWith('/') ? path.startsWith(allowed) : path === allowed;
}

function read(addresses: readonly string[], kind: Bypass['kind']): Bypass[] {
  return addresses.map((address) => {
    const url = new URL(address.startsWith('//') ? `https:${address}` : address);
    return { host: url.hostname, path: url.pathname, kind };
  });
}
