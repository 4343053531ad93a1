import type { Quota } from '../ports/rate-limiter.ts';
import type { Scope, Token } from '../ports/token-store.ts';
import type { Config } from '../settings/config.ts';

/** What is spent under one name. */
export type Allowance = {
  readonly id: string;
  readonly quotas: { readonly requests: Quota; readonly scans: Quota; readonly writes: Quota };
};

/** Who asks, and what they may do and spend. Its `id` is the key of quotas and turns: the token, else the IPv4 address or the IPv6 /64. */
export type Caller = Allowance & {
  readonly kind: 'anonymous' | 'token';
  /** Whose grants are written and read. */
  readonly account: string;
  /** The token's name, for its owner. */
  readonly name?: string;
  readonly scopes: readonly Scope[];
  /** Page loads that it may have unfinished; where left out, those of a caller without a token. */
  readonly pages?: number;
  /** What it shares with its neighbours, the nearest first: an IPv6 caller without a token has any number of /64s. */
  readonly wider: readonly Allowance[];
  /** What it shares its turns with, the widest first: its account, or the networks around its address. */
  readonly levels: readonly string[];
};

/** What all that is an account's shares its turns with. */
export const levelsOfAccount = (account: string): Caller['levels'] => [`account:${account}`];

/** Who asks on behalf of an account, by none of its tokens: it has the limits of tokens, and no scope. */
export function callerOfAccount(account: string, config: Config): Caller {
  return {
    id: `account:${account}`,
    kind: 'token',
    account,
    scopes: [],
    wider: [],
    levels: levelsOfAccount(account),
    quotas: quotasOf(config.LIMIT_TOKEN_REQUESTS, config.LIMIT_TOKEN_SCANS),
  };
}

/** The caller that a token names. */
export function callerOf({ tokenId, account, name, scopes, limits }: Token, config: Config): Caller {
  return {
    id: `token:${tokenId}`,
    kind: 'token',
    account,
    name,
    scopes,
    pages: limits.pages ?? config.LIMIT_TOKEN_PAGES,
    wider: [],
    levels: levelsOfAccount(account),
    quotas: quotasOf(
      limits.requests ?? config.LIMIT_TOKEN_REQUESTS,
      limits.scans ?? config.LIMIT_TOKEN_SCANS,
    ),
  };
}

/** What a caller may spend, by policy. */
export function quotasOf(requests: Omit<Quota, 'policy'>, scans: Omit<Quota, 'policy'>): Caller['quotas'] {
  return { requests: { policy: 'requests', ...requests }, scans: { policy: 'scans', ...scans }, writes };
}

/** What an account, or a caller without a token, may write. No setting: it is far more than any client needs. */
const writes: Quota = { policy: 'writes', points: 120, windowS: 60 };
