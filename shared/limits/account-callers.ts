import { isLive, type Scope, type TokenStore } from '../ports/token-store.ts';
import type { Config } from '../settings/config.ts';
import { openTokensOf } from '../stores/tokens/tokens-of.ts';
import { type Caller, callerOf } from './caller.ts';

/** Names the caller for whom an account's own work is done; undefined where the account has no live token for it any more. */
export type AccountCallers = (
  account: string,
  scopes: readonly Scope[],
  nowMs: number,
) => Promise<Caller | undefined>;

/** The caller is that of the live token with these scopes which has most scans: one for all, so that several tokens have no several allowances. */
export function openAccountCallers(
  config: Config,
  tokenStore: Pick<TokenStore, 'list' | 'version'>,
): AccountCallers {
  const tokensOf = openTokensOf(tokenStore);
  return async (account, scopes, nowMs) => {
    const own = (await tokensOf(account)).filter(
      (token) => isLive(token, nowMs) && scopes.every((scope) => token.scopes.includes(scope)),
    );
    const callers = own.map((token) => callerOf(token, config));
    return callers.toSorted((a, b) => paceOf(b) - paceOf(a) || (a.id < b.id ? -1 : 1))[0];
  };
}

function paceOf({ quotas: { scans } }: Caller): number {
  return scans.points / scans.windowS;
}
