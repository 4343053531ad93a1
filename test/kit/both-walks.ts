import type { RedirectEvidence } from '../../worker/checks/redirect-check/evidence.ts';
import type { Chain } from '../../worker/checks/security-header-check/evidence.ts';
import { seeLocation } from '../../worker/web/walk.ts';

/** What both checks must tell alike of a chain: each address with its Location fields as shown, and how it ended. */
export type Way = {
  readonly hops: readonly { readonly url: string; readonly locations: readonly string[] }[];
  readonly end: string;
};

/** The chain of redirect-check, as far as the statuses lead: security-header-check does not follow a page's own refresh. */
export function wayOfRedirects({ hops, stop }: RedirectEvidence): Way {
  const refresh = hops.findIndex(
    ({ seen, next }) => (next && next.via !== 'http') || isRefreshStop(seen, stop.kind),
  );
  const kept = refresh < 0 ? hops : hops.slice(0, refresh + 1);
  return {
    hops: kept.flatMap(({ url, seen }) =>
      seen.kind === 'response' ? [{ url, locations: seen.locations.map(({ text }) => text) }] : [],
    ),
    end: refresh < 0 ? endOf(stop.kind) : 'arrived',
  };
}

/** The chain of security-header-check. */
export function wayOfHeaders({ hops, end }: Chain): Way {
  return {
    hops: hops.map(({ url, headers }) => ({
      url,
      locations: headers.flatMap(([name, value]) =>
        name.toLowerCase() === 'location' ? [seeLocation(value, url).text] : [],
      ),
    })),
    end: end.kind === 'answered' ? 'arrived' : end.kind,
  };
}

// A refresh may lead out of the web too; by its status that hop is a page.
function isRefreshStop(seen: RedirectEvidence['hops'][number]['seen'], stop: string): boolean {
  return stop === 'foreign-scheme' && seen.kind === 'response' && seen.locations.length === 0;
}

function endOf(stop: string): string {
  return stop === 'failure' || stop === 'out-of-time' ? 'failed' : stop;
}
