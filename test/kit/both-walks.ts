import type { RedirectEvidence } from '../../worker/checks/redirect-check/evidence.ts';
import type { Chain } from '../../worker/checks/security-header-check/evidence.ts';
import { seeLocation } from '../../worker/web/walk.ts';

/** What both checks must tell alike of a chain: each address with its Location fields as shown, and how it ended. */
export type Way = {
  readonly hops: readonly { readonly url: string; readonly locations: readonly string[] }[];
  readonly end: string;
};

/** The chain of redirect-check. */
export function wayOfRedirects({ hops, stop }: RedirectEvidence): Way {
  return {
    hops: hops.flatMap(({ url, seen }) =>
      seen.kind === 'response' ? [{ url, locations: seen.locations.map(({ text }) => text) }] : [],
    ),
    end: endOf(stop.kind),
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
    end: end.kind === 'answered' ? arrivedAt(end) : end.kind,
  };
}

// A page that calls an app by itself is judged, and the walk ends there all the same.
function arrivedAt({ calls }: Extract<Chain['end'], { kind: 'answered' }>): string {
  return calls === undefined ? 'arrived' : 'foreign-scheme';
}

function endOf(stop: string): string {
  return stop === 'failure' || stop === 'out-of-time' ? 'failed' : stop;
}
