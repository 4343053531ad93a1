import { type Caller, callerOf } from '#shared/limits/caller';
import { isLive, type TokenStore } from '#shared/ports/token-store';
import type { Config } from '#shared/settings/config';
import { openTokensOf } from '#shared/stores/tokens/tokens-of';

/**
 * Makes what names the caller for whom an account's batches run: that of its live token with `tools` which has most scans. One for all of
 * them, so that several tokens have no several allowances. Undefined where the account has no such token any more.
 */
export function openFeedingCallers(config: Config, tokenStore: TokenStore) {
  const tokensOf = openTokensOf(tokenStore);
  return async (account: string, nowMs: number): Promise<Caller | undefined> => {
    const own = (await tokensOf(account)).filter(
      (token) => token.scopes.includes('tools') && isLive(token, nowMs),
    );
    const callers = own.map((token) => callerOf(token, config));
    return callers.toSorted((a, b) => paceOf(b) - paceOf(a) || (a.id < b.id ? -1 : 1))[0];
  };
}

export type FeedingCallers = ReturnType<typeof openFeedingCallers>;

function paceOf({ quotas: { scans } }: Caller): number {
  return scans.points / scans.windowS;
}
