import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { type Allowance, type Caller, callerOf, callerOfAccount, quotasOf } from '#shared/limits/caller';
import { anonymousAccount } from '#shared/model/grant';
import type { Quota } from '#shared/ports/rate-limiter';
import { isLive, type Scope, type Token, type TokenStore } from '#shared/ports/token-store';
import type { Config } from '#shared/settings/config';
import { digestOf, isTokenText } from '#shared/stores/tokens/token-text';
import { callerNetwork, turnNetworks, widerNetwork } from '#shared/targets/classify-address';
import type { Logger } from '#shared/telemetry/logger';
import { openAddressReader } from './address.ts';

/** A caller; with `hasBadToken` the one whose token is unknown, expired or revoked, who counts by address. */
export type IdentifiedCaller = { readonly caller: Caller; readonly hasBadToken: boolean };

export type Callers = {
  /** The caller, where no store has to be asked and nothing has to be refused. */
  recall(request: IncomingMessage): Caller | undefined;
  /** Rejects with Problem `store_unavailable`. */
  name(request: IncomingMessage): Promise<IdentifiedCaller>;
  /** Who reads by a key of an account, without a token: it has the limits of tokens, and no scope. */
  ofAccount(account: string): Caller;
};

/** The Bearer scheme (RFC 6750 §2.1), or a token that lacks it; another scheme counts as none. */
const bearerForm = /^(?:Bearer(?: |$)|dtk_)/i;

const longestKept = 64;
/** For about 20,000 addresses, and as many tokens. */
const addressBytes = 16 * 1024 * 1024;
const tokenBytes = 24 * 1024 * 1024;
/** About what V8 holds for the caller of an address, and for a token with its caller. */
const objectBytes = { address: 640, token: 1024 };
/** The longest text of an IPv6 address with its zone; a trusted proxy may forward anything. */
const longestAddress = 64;
/** The time of last use is written once a minute: a write for each request would cost more than the request. */
const touchEveryMs = 60_000;

/** Names the callers of requests. */
export function openCallers(config: Config, tokenStore: TokenStore, log: Logger): Callers {
  const anonymous = openAnonymous(config, log);
  const tokens = openTokens(config, tokenStore, log);
  const recall = (request: IncomingMessage): Caller | undefined => {
    const { authorization } = request.headers;
    const isToken = authorization !== undefined && bearerForm.test(authorization);
    return isToken ? tokens.recall(authorization) : anonymous(request);
  };
  return {
    recall,
    async name(request) {
      const caller = recall(request) ?? (await tokens.find(request.headers.authorization ?? ''));
      return caller ? { caller, hasBadToken: false } : { caller: anonymous(request), hasBadToken: true };
    },
    ofAccount: (account) => callerOfAccount(account, config),
  };
}

/** Sites are given a /48, providers a /32: many callers share these, so each may spend as much as so many callers. */
const widerPrefixes = [
  { prefix: 48, callers: 4 },
  { prefix: 32, callers: 16 },
] as const;

/** Callers without a token, by their network. */
function openAnonymous(config: Config, log: Logger): (request: IncomingMessage) => Caller {
  const quotas = quotasOf(config.LIMIT_ANON_REQUESTS, config.LIMIT_ANON_SCANS);
  const scopes: readonly Scope[] = config.AUTH_MODE === 'open' ? ['tools'] : [];
  const widerQuotas = widerPrefixes.map(({ prefix, callers }) => ({
    prefix,
    quotas: timesOf(quotas, callers),
  }));
  const widerOf = (address: string): readonly Allowance[] =>
    widerQuotas.flatMap(({ prefix, quotas: shared }) => {
      const id = widerNetwork(address, prefix);
      return id === undefined ? [] : [{ id, quotas: shared }];
    });
  const known = new LRUCache<string, Caller>({
    maxSize: addressBytes,
    sizeCalculation: (_caller, address) => objectBytes.address + address.length,
  });
  const addressOf = openAddressReader(config.TRUST_PROXY);
  let hasWarned = config.TRUST_PROXY !== undefined;
  return (request) => {
    if (!hasWarned && request.headers['x-forwarded-for'] !== undefined) {
      hasWarned = true;
      log.warn(
        { setting: 'TRUST_PROXY' },
        'X-Forwarded-For is not trusted: behind a proxy all callers count as one. Set TRUST_PROXY to its hop count or addresses',
      );
    }
    const address = addressOf(request);
    const remembered = known.get(address);
    if (remembered) return remembered;
    const id = callerNetwork(address);
    const wider = widerOf(address);
    const levels = turnNetworks(address);
    const caller: Caller = {
      id,
      kind: 'anonymous',
      account: anonymousAccount,
      scopes,
      quotas,
      wider,
      levels,
    };
    if (address.length <= longestAddress) known.set(address, caller);
    return caller;
  };
}

type Remembered = { readonly token: Token; readonly caller: Caller; touchedAt: number };

/**
 * Callers with a token, by their Authorization field as it came, so that a repeat costs no digest.
 * What is remembered, also of texts that are no token, is void as soon as the store has changed.
 */
function openTokens(config: Config, tokenStore: TokenStore, log: Logger) {
  const known = new LRUCache<string, Remembered | 'none'>({
    maxSize: tokenBytes,
    sizeCalculation: (found) => (found === 'none' ? objectBytes.address : objectBytes.token),
  });
  let version = Number.NaN;
  const look = (authorization: string) => {
    const now = tokenStore.version();
    if (now !== version) known.clear();
    version = now;
    return known.get(authorization);
  };
  const use = (found: Remembered): Caller | undefined => {
    const now = Date.now();
    if (!isLive(found.token, now)) return undefined;
    if (now - found.touchedAt > touchEveryMs) {
      found.touchedAt = now;
      // A courtesy to the token's owner: the answer does not wait for it.
      tokenStore
        .touch(found.token.tokenId, now)
        .catch((error: unknown) => log.debug({ err: error }, 'use of a token not noted'));
    }
    return found.caller;
  };
  return {
    recall(authorization: string): Caller | undefined {
      const found = look(authorization);
      return found === undefined || found === 'none' ? undefined : use(found);
    },
    async find(authorization: string): Promise<Caller | undefined> {
      const text = authorization.slice('Bearer'.length).trim();
      if (!isTokenText(text) || look(authorization) === 'none') return undefined;
      const token = await tokenStore.find(digestOf(text));
      const found = token && {
        token,
        caller: callerOf(token, config),
        touchedAt: token.lastUsedAt ?? 0,
      };
      // A token may stand behind any number of spaces: only a field of the usual length is kept.
      if (authorization.length <= longestKept) known.set(authorization, found ?? 'none');
      return found && use(found);
    },
  };
}

function timesOf(quotas: Caller['quotas'], callers: number): Caller['quotas'] {
  const times = (quota: Quota): Quota => ({ ...quota, points: quota.points * callers });
  return { requests: times(quotas.requests), scans: times(quotas.scans), writes: times(quotas.writes) };
}
