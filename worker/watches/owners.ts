import { openAccountCallers } from '#shared/limits/account-callers';
import type { Quota, RateLimiter, Taken } from '#shared/ports/rate-limiter';
import type { TokenStore } from '#shared/ports/token-store';
import type { Config } from '#shared/settings/config';

/** Points that were taken from an account. */
export type Paid = {
  readonly account: string;
  readonly quota: Quota;
  readonly points: number;
  readonly taken: Taken;
};

/** The accounts of watches: whether they may go on, and what they spend. Allowances are the account's, not a token's. */
export type Owners = {
  /** The scans that an account may spend; undefined where it has no live token for watches any more. */
  quotaOf(account: string): Promise<Quota | undefined>;
  /** Takes scans; a number of seconds where there are too few. Undefined where nothing is counted. */
  pay(account: string, quota: Quota, points: number): Promise<Paid | number | undefined>;
  giveBack(paid: Paid): Promise<void>;
};

type OwnersContext = {
  readonly config: Config;
  readonly tokenStore: Pick<TokenStore, 'list' | 'version'>;
  readonly rateLimiter: Pick<RateLimiter, 'take' | 'giveBack'>;
};

/** What a token must have to keep the watches of its account going. */
const scopesOfWatches = ['tools', 'watch'] as const;

/** Opens the accounts. */
export function openOwners({ config, tokenStore, rateLimiter }: OwnersContext): Owners {
  const callerOf = openAccountCallers(config, tokenStore);
  const idOf = (account: string) => `account:${account}`;
  return {
    quotaOf: async (account) => (await callerOf(account, scopesOfWatches, Date.now()))?.quotas.scans,
    async pay(account, quota, points) {
      if (!config.RATE_LIMIT || points === 0) return undefined;
      const taken = await rateLimiter.take(quota, idOf(account), points);
      return taken.allowed ? { account, quota, points, taken } : Math.max(1, taken.resetS);
    },
    giveBack: ({ account, quota, points, taken }) =>
      rateLimiter.giveBack(quota, idOf(account), points, taken),
  };
}
