import { z } from 'zod';
import type { Report } from '../../model/report.ts';
import { findingIn, type SourceFacts } from './source.ts';

/** Whether the web host can be reached over one family of addresses. */
export type FamilyFacts = {
  readonly family: 'IPv4' | 'IPv6';
  /** partly: some of its addresses answer, or they answer TLS but not with the page. */
  readonly state: 'answers' | 'partly' | 'no-answer' | 'no-address' | 'unknown';
  /** Without a full stop; "" where it answers. */
  readonly reason: string;
};

const families = ['IPv4', 'IPv6'] as const;

const sslEndpoints = z.looseObject({
  endpoints: z.array(
    z.looseObject({
      family: z.enum(families),
      address: z.string(),
      state: z.enum(['complete', 'unreachable', 'not-tested']),
      reason: z.string().nullable(),
    }),
  ),
});
type Endpoint = z.infer<typeof sslEndpoints>['endpoints'][number];

/** Reads reachability by family: from ssl-check, which asks every address, and from what security-header-check got over IPv6. */
export function readFamilies(ssl: SourceFacts, headers: SourceFacts): readonly FamilyFacts[] {
  const endpoints = ssl.report === null ? null : readEndpoints(ssl.report);
  return families.map((family) => {
    if (endpoints === null)
      return { family, state: 'unknown', reason: ssl.why || 'the addresses were not asked' };
    const own = endpoints.filter((one) => one.family === family);
    const page = family === 'IPv6' ? findingIn(headers, 'ipv6-broken') : undefined;
    const seen = stateOf(own);
    return page !== undefined && seen.state === 'answers'
      ? { family, state: 'partly', reason: 'the page does not answer there' }
      : { family, ...seen };
  });
}

function readEndpoints(report: Report): readonly Endpoint[] | null {
  return sslEndpoints.safeParse(report).data?.endpoints ?? null;
}

function stateOf(endpoints: readonly Endpoint[]): Pick<FamilyFacts, 'state' | 'reason'> {
  const asked = endpoints.filter(({ state }) => state !== 'not-tested');
  const failed = asked.filter(({ state }) => state === 'unreachable');
  const [first] = failed;
  if (endpoints.length === 0)
    return { state: 'no-address', reason: 'the name has no address of this family' };
  if (asked.length === 0) return { state: 'unknown', reason: endpoints[0]?.reason ?? 'it was not asked' };
  if (first === undefined) return { state: 'answers', reason: '' };
  const reason = `${first.address}: ${first.reason ?? 'no handshake was completed'}`;
  return { state: failed.length < asked.length ? 'partly' : 'no-answer', reason };
}
