import { getDomain } from 'tldts';

/** Connections of one run to hosts that are not the target's own. */
const foreignMost = 12;

/** What one run may still open. */
export type Allowance = {
  /** Takes one connection to a host; false where none is left. */
  readonly take: (host: string) => boolean;
  /** One that was taken was not made; it counts as taken all the same. */
  readonly noteUnmade: () => void;
  readonly made: () => number;
};

/** Opens the allowance of a run at a domain; hosts of its registrable domain are its own. */
export function openAllowance(domain: string): Allowance {
  let made = 0;
  let foreign = 0;
  return {
    take(host) {
      const isForeign = siteOf(host) !== siteOf(domain);
      if (isForeign && foreign >= foreignMost) return false;
      if (isForeign) foreign += 1;
      made += 1;
      return true;
    },
    noteUnmade: () => {
      made -= 1;
    },
    made: () => made,
  };
}

/** Hosting companies register suffixes of their own: their customers are strangers to each other. */
function siteOf(name: string): string {
  return getDomain(name, { allowPrivateDomains: true, validateHostname: false }) ?? name;
}
