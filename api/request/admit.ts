import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import type { Caller } from '#shared/limits/caller';
import type { Quotas } from '#shared/limits/quotas';
import { Problem } from '#shared/model/problem';
import type { Scope } from '#shared/ports/token-store';
import { joinLine } from '#shared/time/give-back';
import type { Callers } from './caller.ts';

/** What letting a request in takes. */
export type Limits = { readonly callers: Callers; readonly quotas: Quotas };

/**
 * Names the caller, counts the request, and lets those in who have the scope; `anyone` needs none.
 * A bad token is refused even where none is needed (RFC 6750 §3.1), and counted against its address, so that guessing has a limit.
 */
export async function admit(
  { callers, quotas }: Limits,
  request: IncomingMessage,
  response: Response,
  need: Scope | 'anyone',
): Promise<Caller> {
  const { caller, hasBadToken } = await callers.name(request);
  joinLine(caller.levels);
  quotas.takeRequest(caller, response);
  if (hasBadToken) throw invalidToken(request.headers.authorization);
  if (need === 'anyone' || caller.scopes.includes(need)) return caller;
  throw caller.kind === 'anonymous' ? tokenRequired(need) : insufficientScope(need);
}

/** True for a request that changes something, where it is let in. */
export function isWrite({ method }: IncomingMessage): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** As `admit`, where a token is needed in open mode too: what is made is an account's own. */
export async function admitToken(
  limits: Limits,
  request: IncomingMessage,
  response: Response,
  need: Scope,
): Promise<Caller> {
  const caller = await admit(limits, request, response, need);
  if (caller.kind === 'anonymous') throw tokenRequired(need);
  return caller;
}

function invalidToken(authorization = ''): Problem {
  const detail = 'The token is unknown, expired or revoked';
  const cure = /^Bearer/i.test(authorization)
    ? 'Leave it out, or send a valid one.'
    : 'Send it behind its scheme: Authorization: Bearer dtk_…';
  return new Problem('invalid_token', `${detail}. ${cure}`, {
    headers: challenge(`error="invalid_token", error_description="${detail}"`),
  });
}

// RFC 6750 §3.1: a request without credentials is told the scheme, and no error code.
function tokenRequired(need: Scope): Problem {
  return new Problem(
    'token_required',
    `Send Authorization: Bearer with a token of this service that has the scope ${need}.`,
    { headers: challenge(`scope="${need}"`) },
  );
}

/** The Problem of a token without a scope that this request needs as well. */
export function insufficientScope(need: Scope): Problem {
  return new Problem(
    'insufficient_scope',
    `The token is valid, but lacks the scope ${need}. Ask the operator for one that has it.`,
    { headers: challenge(`error="insufficient_scope", scope="${need}"`) },
  );
}

function challenge(parameters: string): Record<string, string> {
  return { 'WWW-Authenticate': `Bearer realm="diag", ${parameters}` };
}
