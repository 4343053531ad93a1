import type { Windows } from '#shared/limits/rates/windows';
import { Problem } from '#shared/model/problem';
import type { Quota, RateLimiter, Taken } from '#shared/ports/rate-limiter';
import type { Outgoing } from '../answer/outgoing.ts';
import type { Caller } from '../request/caller.ts';
import {
  allowancesOf,
  type Counted,
  countOne,
  giveBackShares,
  leastOf,
  type Share,
  spend,
} from './allowances.ts';

/** The two quotas of a caller: `requests` is counted by the processes of one WEB_CONCURRENCY together, `scans` over all processes. */
export type Quotas = {
  /** Off for labs: nothing is counted. */
  readonly isOn: boolean;
  /** Counts a request; undefined where nothing is counted. */
  countRequest(caller: Caller): Counted | undefined;
  /** Counts a request, and sets the RateLimit fields. Throws 429. */
  takeRequest(caller: Caller, response: Outgoing): void;
  /** Pays for a run before it starts; undefined where nothing is counted. Throws 429. */
  takeScans(caller: Caller, points: number, response: Outgoing): Promise<Paid | undefined>;
  /** For a run that did not happen, or failed through us. */
  giveBackScans(paid: Paid): Promise<void>;
  /** Sets the RateLimit field to what is left of the scans now. */
  tellScans(caller: Caller, response: Outgoing): Promise<void>;
  look(caller: Caller): Promise<{ readonly requests: Taken; readonly scans: Taken }>;
};

export type Paid = { readonly points: number; readonly shares: readonly Share[] };

/** Opens the quotas. `isOn` is off for labs: nothing is counted and no field sent. */
export function openQuotas(local: Windows, shared: RateLimiter, isOn: boolean): Quotas {
  const countRequest = (caller: Caller) => (isOn ? countOne(local, caller) : undefined);
  const lookAtScans = async (caller: Caller) =>
    leastOf(await Promise.all(allowancesOf(caller).map(({ id, quotas }) => shared.look(quotas.scans, id))));
  return {
    isOn,
    countRequest,
    takeRequest(caller, response) {
      const spent = countRequest(caller);
      if (!spent) return;
      const [policyField, policy, limitField, limit] = limitFields(caller, spent.left);
      response.setHeader(policyField, policy);
      response.setHeader(limitField, limit);
      if (spent.refusal) throw refuseRequest(spent.refusal, caller);
    },
    async takeScans(caller, points, response) {
      if (!isOn || points === 0) return undefined;
      const { scans } = caller.quotas;
      if (points > scans.points) throw tooDear(scans, points);
      const { left, shares, refusal } = await spend(shared, caller, 'scans', points);
      setScansItem(response, scans, left);
      if (refusal)
        throw refuse(refusal, caller, `This check costs ${points}. Cached reports stay readable meanwhile.`);
      return { points, shares };
    },
    giveBackScans: ({ points, shares }) => giveBackShares(shared, shares, points),
    async tellScans(caller, response) {
      if (!isOn || response.headersSent) return;
      setScansItem(response, caller.quotas.scans, await lookAtScans(caller));
    },
    look: async (caller) => ({
      requests: leastOf(allowancesOf(caller).map(({ id, quotas }) => local.look(quotas.requests, id))),
      scans: await lookAtScans(caller),
    }),
  };
}

// Behind the item of `requests`; in place of what it said before the points were given back.
function setScansItem(response: Outgoing, scans: Quota, taken: Taken): void {
  const [requests = ''] = String(response.getHeader('RateLimit') ?? '').split(', ');
  response.setHeader('RateLimit', [requests, limitItem(scans, taken)].filter(Boolean).join(', '));
}

const policies = new WeakMap<Caller['quotas'], string>();

/** The RateLimit fields after a request was counted, as a flat list of names and values. */
export function limitFields({ quotas }: Caller, left: Taken) {
  return ['RateLimit-Policy', policyItems(quotas), 'RateLimit', limitItem(quotas.requests, left)] as const;
}

/** The RateLimit-Policy field (draft-ietf-httpapi-ratelimit-headers-10: a list of strings with parameters). */
function policyItems(quotas: Caller['quotas']): string {
  const known = policies.get(quotas);
  if (known !== undefined) return known;
  const items = `${policyItem(quotas.requests)}, ${policyItem(quotas.scans)}`;
  policies.set(quotas, items);
  return items;
}

/** An item of the RateLimit field. */
function limitItem({ policy }: Quota, { remaining, resetS }: Taken): string {
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

/** The Problem of a caller whose requests are used up. */
export function refuseRequest(refusal: Share, caller: Caller): Problem {
  return refuse(refusal, caller, 'Wait, or send a token for a higher limit.');
}

function refuse({ id, quota, taken }: Share, caller: Caller, hint: string): Problem {
  const { policy, points, windowS } = quota;
  const retryAfterS = Math.max(1, taken.resetS);
  const whose = id === caller.id ? '' : ` that all of ${id} share`;
  return new Problem(
    'rate_limited',
    `${points} ${policy} in ${windowS} s${whose} are used up; there are more in ${retryAfterS} s. ${hint}`,
    { retryAfterS, policy },
  );
}
