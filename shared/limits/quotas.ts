import type { ServerResponse } from 'node:http';
import { Problem } from '../model/problem.ts';
import type { Quota, RateLimiter, Taken } from '../ports/rate-limiter.ts';
import {
  allowancesOf,
  type Counted,
  countOne,
  giveBackShares,
  leastOf,
  type Share,
  spend,
} from './allowances.ts';
import type { Caller } from './caller.ts';
import type { Windows } from './rates/windows.ts';

/** The answer that tells what is left of a limit; undefined for a run that no request waits for. One that has begun tells no more. */
export type LimitFields = Pick<ServerResponse, 'getHeader' | 'setHeader' | 'headersSent'> | undefined;

/** The quotas of a caller: `requests` is counted by each process for itself, `scans` and `writes` over all processes. */
export type Quotas = {
  /** Off for labs: nothing is counted. */
  readonly isOn: boolean;
  /** Counts a request; undefined where nothing is counted. */
  countRequest(caller: Caller): Counted | undefined;
  /** Counts a request, and sets the RateLimit fields. Throws 429. */
  takeRequest(caller: Caller, fields: LimitFields): void;
  /** Pays for a run before it starts; undefined where nothing is counted. Throws 429. */
  takeScans(caller: Caller, points: number, fields: LimitFields): Promise<Paid | undefined>;
  /** For a run that did not happen, or failed through us. */
  giveBackScans(paid: Paid): Promise<void>;
  /** Sets the RateLimit field to what is left of the scans now. */
  tellScans(caller: Caller, fields: LimitFields): Promise<void>;
  /** Pays for a write before it is done, and sets the RateLimit fields. Throws 429. */
  takeWrites(caller: Caller, points: number, fields: LimitFields): Promise<void>;
  /** Pays for what is written without a request: 0, or the seconds until it can be paid. */
  tryWrites(caller: Caller, points: number): Promise<number>;
  look(caller: Caller): Promise<{ readonly [policy in Quota['policy']]: Taken }>;
};

export type Paid = { readonly points: number; readonly shares: readonly Share[] };

/** Opens the quotas. `isOn` is off for labs: nothing is counted and no field sent. */
export function openQuotas(local: Windows, shared: RateLimiter, isOn: boolean): Quotas {
  const countRequest = (caller: Caller) => (isOn ? countOne(local, caller) : undefined);
  const lookAt = async (caller: Caller, policy: 'scans' | 'writes') =>
    leastOf(await Promise.all(allowancesOf(caller).map(({ id, quotas }) => shared.look(quotas[policy], id))));
  return {
    isOn,
    countRequest,
    takeRequest(caller, fields) {
      const spent = countRequest(caller);
      if (!spent) return;
      const [policyField, policy, limitField, limit] = limitFields(caller, spent.left);
      fields?.setHeader(policyField, policy);
      fields?.setHeader(limitField, limit);
      if (spent.refusal) throw refuseRequest(spent.refusal, caller);
    },
    async takeScans(caller, points, fields) {
      if (!isOn || points === 0) return undefined;
      const { scans } = caller.quotas;
      if (points > scans.points) throw tooDear(scans, points);
      const { left, shares, refusal } = await spend(shared, caller, 'scans', points);
      setItem(fields, scans, left);
      if (refusal)
        throw refuse(refusal, caller, `This check costs ${points}. Cached reports stay readable meanwhile.`);
      return { points, shares };
    },
    giveBackScans: ({ points, shares }) => giveBackShares(shared, shares, points),
    async tellScans(caller, fields) {
      if (!isOn || !fields || fields.headersSent) return;
      setItem(fields, caller.quotas.scans, await lookAt(caller, 'scans'));
    },
    look: async (caller) => ({
      requests: leastOf(allowancesOf(caller).map(({ id, quotas }) => local.look(quotas.requests, id))),
      scans: await lookAt(caller, 'scans'),
      writes: await lookAt(writerOf(caller), 'writes'),
    }),
    async takeWrites(caller, points, fields) {
      if (!isOn || points === 0) return;
      const writer = writerOf(caller);
      const { left, refusal } = await spend(shared, writer, 'writes', points);
      setItem(fields, writer.quotas.writes, left);
      setPolicy(fields, writer.quotas.writes);
      if (refusal) throw refuse(refusal, writer, writesHint);
    },
    async tryWrites(caller, points) {
      if (!isOn) return 0;
      const { left, refusal } = await spend(shared, writerOf(caller), 'writes', points);
      return refusal ? Math.max(1, left.resetS) : 0;
    },
  };
}

const writesHint =
  'A request that changes something costs 1, 1 more for each 64 kB of its body, and 1 for each 100 targets that are refused.';

/** What is written counts for the account, whichever of its tokens writes. */
function writerOf(caller: Caller): Caller {
  return caller.kind === 'token' ? { ...caller, id: `account:${caller.account}` } : caller;
}

// Behind the items of other policies; in place of what it said before of its own.
function setItem(fields: LimitFields, quota: Quota, taken: Taken): void {
  setInList(fields, 'RateLimit', quota, limitItem(quota, taken));
}

function setPolicy(fields: LimitFields, quota: Quota): void {
  setInList(fields, 'RateLimit-Policy', quota, policyItem(quota));
}

function setInList(fields: LimitFields, field: string, { policy }: Quota, item: string): void {
  if (!fields || fields.headersSent) return;
  const others = String(fields.getHeader(field) ?? '')
    .split(', ')
    .filter((one) => one !== '' && !one.startsWith(`"${policy}"`));
  fields.setHeader(field, [...others, item].join(', '));
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
