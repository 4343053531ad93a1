import { getDomain } from 'tldts';
import type { DnsQuestion } from '../probes/dns/port.ts';

/** What one run may ask of others than the target; usual zones stay far below (`test/unit/dns-check/budget.test.ts` counts them). */
export type BudgetLimits = {
  /** Questions about names below one registrable domain that is not the target's. */
  readonly perDomain: number;
  /** Addresses of name servers that are asked directly. */
  readonly addresses: number;
  /** Questions put to one such address. */
  readonly perAddress: number;
};

/** Each limit is half as much again as the most demanding usual zone needs, or more. */
export const budgetLimits: BudgetLimits = { perDomain: 50, addresses: 24, perAddress: 36 };

/** A limit that ended questions: of a domain, an address, or of all addresses (`of` is then empty). */
export type SpentLimit = {
  readonly limit: keyof BudgetLimits;
  readonly of: string;
  readonly allowed: number;
  readonly notAsked: number;
};

export type Budget = {
  /** Counts one question that was not asked before. @returns undefined when it may be asked, else the reason why not, as a sentence's end */
  spend(question: DnsQuestion, server?: string): string | undefined;
  /** Limits that were reached, in the order in which they were. */
  spent(): readonly SpentLimit[];
};

/** Opens the counters of one run about a target. Pure but for its own counts. */
export function openBudget(target: string, limits: BudgetLimits = budgetLimits): Budget {
  const own = registrableOf(target);
  const domains = new Map<string, number>();
  const addresses = new Map<string, number>();
  const over = new Map<string, SpentLimit>();

  function hold(limit: keyof BudgetLimits, of: string): string {
    const key = `${limit} ${of}`;
    const notAsked = (over.get(key)?.notAsked ?? 0) + 1;
    over.set(key, { limit, of, allowed: limits[limit], notAsked });
    return `a limit of this run was reached: ${wordings[limit](limits[limit], of)}`;
  }

  function spendOn(counts: Map<string, number>, limit: 'perDomain' | 'perAddress', of: string) {
    const asked = counts.get(of) ?? 0;
    if (asked >= limits[limit]) return hold(limit, of);
    counts.set(of, asked + 1);
    return undefined;
  }

  return {
    spend({ name }, server) {
      if (server !== undefined) {
        const isNew = !addresses.has(server);
        if (isNew && addresses.size >= limits.addresses) return hold('addresses', '');
        return spendOn(addresses, 'perAddress', server);
      }
      const domain = registrableOf(name);
      return domain === null || domain === own ? undefined : spendOn(domains, 'perDomain', domain);
    },
    spent: () => [...over.values()],
  };
}

const wordings: { readonly [L in keyof BudgetLimits]: (allowed: number, of: string) => string } = {
  perDomain: (allowed, of) => `${allowed} questions about names of ${of}`,
  addresses: (allowed) => `${allowed} addresses of name servers`,
  perAddress: (allowed, of) => `${allowed} questions to ${of}`,
};

// Private suffixes do not count: their names are answered by the same servers. null at and above a public suffix.
function registrableOf(name: string): string | null {
  return getDomain(name.toLowerCase(), { validateHostname: false });
}
