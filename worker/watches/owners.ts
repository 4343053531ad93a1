import type { Quota, RateLimiter, Taken } from '#shared/ports/rate-limiter';
import { isLive, type Token, type TokenStore } from '#shared/ports/token-store';
import type { Config } from '#shared/settings/config';
import { openTokensOf } from '#shared/stores/tokens/tokens-of';

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
  readonly config: Pick<Config, 'RATE_LIMIT' | 'LIMIT_TOKEN_SCANS'>;
  readonly tokenStore: Pick<TokenStore, 'list' | 'version'>;
  readonly rateLimiter: Pick<RateLimiter, 'take' | 'giveBack'>;
};

/** True for a token that keeps the watches of its account going. */
export function keepsWatches(token: Token, nowMs: number): boolean {
  return isLive(token, nowMs) && token.scopes.includes('watch') && token.scopes.includes('tools');
}

/** Opens the accounts. Tokens are read again when one may have changed. */
export function openOwners({ config, tokenStore, rateLimiter }: OwnersContext): Owners {
  const tokensOf = openTokensOf(tokenStore);
  const idOf = (account: string) => `account:${account}`;
  return {
    async quotaOf(account) {
      const now = Date.now();
      const own = (await tokensOf(account)).filter((token) => keepsWatches(token, now));
      const scans = own.map(({ limits }) => limits.scans ?? config.LIMIT_TOKEN_SCANS);
      const [most] = scans.toSorted((a, b) => b.points / b.windowS - a.points / a.windowS);
      return most && { policy: 'scans', ...most };
    },
    async pay(account, quota, points) {
      if (!config.RATE_LIMIT || points === 0) return undefined;
      const taken = await rateLimiter.take(quota, idOf(account), points);
      return taken.allowed ? { account, quota, points, taken } : Math.max(1, taken.resetS);
    },
    giveBack: ({ account, quota, points, taken }) =>
      rateLimiter.giveBack(quota, idOf(account), points, taken),
  };
}
