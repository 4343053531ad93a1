import type { Response } from 'express';
import { Problem } from '../../shared/model/problem.ts';
import type { Quota, RateLimiter, Taken } from '../../shared/rate-limiter/port.ts';
import type { Caller } from '../request/caller.ts';

/** The two quotas of a caller: `requests` is counted in this process, `scans` over all of them. */
export type Quotas = {
  /** Off for labs: nothing is counted. */
  readonly isOn: boolean;
  /** Counts a request; undefined where nothing is counted. */
  countRequest(caller: Caller): Promise<Taken | undefined>;
  /** Counts a request, and sets the RateLimit fields. Throws 429. */
  takeRequest(caller: Caller, response: Response): Promise<void>;
  /** Pays for a run before it starts; undefined where nothing is counted. Throws 429. */
  takeScans(caller: Caller, points: number, response: Response): Promise<Taken | undefined>;
  /** For a run that did not happen, or failed through us. */
  giveBackScans(caller: Caller, paid: Paid): Promise<void>;
  /** Sets the RateLimit field to what is left of the scans now. */
  tellScans(caller: Caller, response: Response): Promise<void>;
  look(caller: Caller): Promise<{ readonly requests: Taken; readonly scans: Taken }>;
};

export type Paid = { readonly points: number; readonly taken: Taken };

/** Opens the quotas. `isOn` is off for labs: nothing is counted and no field sent. */
export function openQuotas(local: RateLimiter, shared: RateLimiter, isOn: boolean): Quotas {
  const countRequest = async (caller: Caller) =>
    isOn ? local.take(caller.quotas.requests, caller.id, 1) : undefined;
  return {
    isOn,
    countRequest,
    async takeRequest(caller, response) {
      const taken = await countRequest(caller);
      if (!taken) return;
      const { requests } = caller.quotas;
      response.setHeader('RateLimit-Policy', policyItems(caller.quotas));
      response.setHeader('RateLimit', limitItem(requests, taken));
      if (!taken.allowed) throw refuse(requests, taken, 'Wait, or send a token for a higher limit.');
    },
    async takeScans(caller, points, response) {
      if (!isOn || points === 0) return undefined;
      const { scans } = caller.quotas;
      if (points > scans.points) throw tooDear(scans, points);
      const taken = await shared.take(scans, caller.id, points);
      setScansItem(response, scans, taken);
      if (!taken.allowed)
        throw refuse(scans, taken, `This check costs ${points}. Cached reports stay readable meanwhile.`);
      return taken;
    },
    giveBackScans: ({ id, quotas: { scans } }, { points, taken }) =>
      shared.giveBack(scans, id, points, taken),
    async tellScans({ id, quotas: { scans } }, response) {
      if (isOn && !response.headersSent) setScansItem(response, scans, await shared.look(scans, id));
    },
    look: async ({ id, quotas }) => {
      const [requests, scans] = await Promise.all([
        local.look(quotas.requests, id),
        shared.look(quotas.scans, id),
      ]);
      return { requests, scans };
    },
  };
}

// Behind the item of `requests`; in place of what it said before the points were given back.
function setScansItem(response: Response, scans: Quota, taken: Taken): void {
  const [requests = ''] = String(response.getHeader('RateLimit') ?? '').split(', ');
  response.setHeader('RateLimit', [requests, limitItem(scans, taken)].filter(Boolean).join(', '));
}

const policies = new WeakMap<Caller['quotas'], string>();

/** The RateLimit-Policy field (draft-ietf-httpapi-ratelimit-headers-10: a list of strings with parameters). */
export function policyItems(quotas: Caller['quotas']): string {
  const known = policies.get(quotas);
  if (known !== undefined) return known;
  const items = `${policyItem(quotas.requests)}, ${policyItem(quotas.scans)}`;
  policies.set(quotas, items);
  return items;
}

/** An item of the RateLimit field. */
export function limitItem({ policy }: Quota, { remaining, resetS }: Taken): string {
  return `"${policy}";r=${remaining};t=${resetS}`;
}

function policyItem({ policy, points, windowS }: Quota): string {
  return `"${policy}";q=${points};w=${windowS}`;
}

// No wait helps, so none is named.
function tooDear({ policy, points, windowS }: Quota, cost: number): Problem {
  return new Problem(
    'rate_limited',
    `This check costs ${cost} ${policy}, more than your limit of ${points} in ${windowS} s. Ask the operator for a token with a higher one.`,
    { policy },
  );
}

function refuse({ policy, points, windowS }: Quota, { resetS }: Taken, hint: string): Problem {
  const retryAfterS = Math.max(1, resetS);
  return new Problem(
    'rate_limited',
    `${points} ${policy} in ${windowS} s are used up; there are more in ${retryAfterS} s. ${hint}`,
    { retryAfterS, policy },
  );
}
