import { siteOf } from '#shared/targets/parse-target';
import type { OverspentSite, Traffic } from './port.ts';

/** What may go through the proxy for one registrable domain. */
export type SiteBudget = {
  readonly connections: number;
  readonly receivedBytes: number;
  readonly sentBytes: number;
  /** Requests: one for each connection, and what goes over it beside the first, as far as that can be told from outside (`openRequestSplitter`). */
  readonly sentPieces: number;
};

export type TrafficBudget = {
  /** Both directions together, of the whole run. */
  readonly bytes: number;
  /** Over the whole run. */
  readonly connections: number;
  readonly connectionsAtOnce: number;
  /** The site whose page is loaded. */
  readonly own: SiteBudget;
  /** Every other site: a page may name any site, and those sites did not ask for our requests. */
  readonly foreign: SiteBudget;
};

/** Pages of the HTTP Archive's 99th percentile stay below: 20 MB received, 700 requests over all their hosts, up to 200 to one CDN. */
export const trafficBudget: TrafficBudget = {
  bytes: 100_000_000,
  connections: 1000,
  connectionsAtOnce: 256,
  own: { connections: 500, receivedBytes: 100_000_000, sentBytes: 5_000_000, sentPieces: 10_000 },
  foreign: { connections: 100, receivedBytes: 40_000_000, sentBytes: 1_000_000, sentPieces: 300 },
};

type Spent = { -readonly [what in keyof SiteBudget]: number };

/** What a run's browser has sent and received, by site. */
export type TrafficAccount = {
  /** False when a budget is used up; the connection must not be made then. @param atOnce connections that are open now */
  connect(host: string, atOnce: number): boolean;
  /** False when the site's budget or the run's is used up; the site's connections must end then. */
  receive(host: string, bytes: number): boolean;
  send(host: string, bytes: number, pieces: number): boolean;
  /** True when the whole run's budget is used up: every connection must end. */
  isCut(): boolean;
  read(): Omit<Traffic, 'refused'>;
};

/** Opens the account of one run. @param audited the host whose page is loaded */
export function openTrafficAccount(budget: TrafficBudget, audited: string): TrafficAccount {
  const own = siteOf(audited);
  const sites = new Map<string, Spent>();
  const overspent = new Map<string, OverspentSite>();
  const total = { connections: 0, receivedBytes: 0, sentBytes: 0 };
  let cut: Traffic['cut'] = null;

  const spend = (host: string, what: keyof SiteBudget, amount: number): boolean => {
    const site = siteOf(host);
    const spent = sites.get(site) ?? { connections: 0, receivedBytes: 0, sentBytes: 0, sentPieces: 0 };
    spent[what] += amount;
    // As many sites as connections are allowed, so the map has an end.
    sites.set(site, spent);
    const limit = (site === own ? budget.own : budget.foreign)[what];
    if (spent[what] > limit && !overspent.has(site)) overspent.set(site, { site, what, limit });
    return cut === null && !overspent.has(site);
  };
  const count = (what: 'receivedBytes' | 'sentBytes', bytes: number) => {
    total[what] += bytes;
    if (total.receivedBytes + total.sentBytes > budget.bytes) cut ??= 'bytes';
  };

  return {
    connect(host, atOnce) {
      total.connections += 1;
      if (total.connections > budget.connections || atOnce > budget.connectionsAtOnce) cut ??= 'connections';
      const isWithin = spend(host, 'connections', 1);
      return cut === null && spend(host, 'sentPieces', 1) && isWithin;
    },
    receive(host, bytes) {
      count('receivedBytes', bytes);
      return spend(host, 'receivedBytes', bytes);
    },
    send(host, bytes, pieces) {
      count('sentBytes', bytes);
      const isWithin = spend(host, 'sentBytes', bytes);
      return spend(host, 'sentPieces', pieces) && isWithin;
    },
    isCut: () => cut === 'bytes',
    read: () => ({ ...total, cut, overspent: [...overspent.values()] }),
  };
}
