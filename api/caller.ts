import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Config } from '../shared/config.ts';
import type { Logger } from '../shared/logger.ts';
import { Problem } from '../shared/model/problem.ts';
import type { Quota } from '../shared/rate-limiter/port.ts';
import { callerNetwork } from '../shared/target/classify-address.ts';

/** Who asks, and what they may spend. */
export type Caller = {
  /** Key of quotas and turns: the IPv4 address, or the IPv6 /64. */
  readonly id: string;
  readonly kind: 'anonymous';
  readonly scopes: readonly string[];
  readonly quotas: { readonly requests: Quota; readonly scans: Quota };
};

export type NameCaller = (request: IncomingMessage & { readonly ip?: string | undefined }) => Caller;

/** Makes the function that names the caller of a request, or throws the 401 of a bad token. */
export function openCallers(config: Config, log: Logger): NameCaller {
  const quotas = {
    requests: { policy: 'requests', ...config.LIMIT_ANON_REQUESTS },
    scans: { policy: 'scans', ...config.LIMIT_ANON_SCANS },
  } as const;
  const anonymous = new LRUCache<string, Caller>({ max: 20_000 });
  let hasWarned = config.TRUST_PROXY !== undefined;
  return (request) => {
    if (!hasWarned && request.headers['x-forwarded-for'] !== undefined) {
      hasWarned = true;
      log.warn(
        { setting: 'TRUST_PROXY' },
        'X-Forwarded-For is not trusted: behind a proxy all callers count as one. Set TRUST_PROXY to its hop count or addresses',
      );
    }
    if (hasBearer(request.headers.authorization)) throw invalidToken();
    if (config.AUTH_MODE === 'token') throw tokenRequired();
    // Without a trusted proxy the address is the connection's own; Express would parse X-Forwarded-For for each request first.
    const address = (config.TRUST_PROXY === undefined ? request.socket.remoteAddress : request.ip) ?? '';
    const known = anonymous.get(address);
    if (known) return known;
    const caller: Caller = { id: callerNetwork(address), kind: 'anonymous', scopes: ['tools'], quotas };
    anonymous.set(address, caller);
    return caller;
  };
}

function hasBearer(authorization: string | undefined): boolean {
  return authorization !== undefined && /^Bearer(?: |$)/i.test(authorization);
}

function invalidToken(): Problem {
  const headers = {
    'WWW-Authenticate':
      'Bearer realm="diag", error="invalid_token", error_description="The token is unknown, expired or revoked"',
  };
  return new Problem(
    'invalid_token',
    'The token is unknown, expired or revoked. Leave it out, or send a valid one.',
    { headers },
  );
}

function tokenRequired(): Problem {
  return new Problem('token_required', 'Send Authorization: Bearer with a token of this service.', {
    headers: { 'WWW-Authenticate': 'Bearer realm="diag"' },
  });
}
