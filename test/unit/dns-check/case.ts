import type { DnsCode } from '#shared/catalogue/dns-check/rules';
import type { Change } from './good-world.ts';

/** A change of a domain in which everything is well, and what the check then says. */
export type Case = {
  readonly name: string;
  readonly change: Change;
  readonly domain?: string;
  /** Exactly these. */
  readonly broken: readonly DnsCode[];
  /** At least these. */
  readonly notTested?: readonly DnsCode[];
  /** At least these neither hold nor are broken: nothing of them was seen. */
  readonly unjudged?: readonly DnsCode[];
  readonly score?: number | null;
};
