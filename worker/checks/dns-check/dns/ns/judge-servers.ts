import type { nsRules } from '#shared/catalogue/dns-check/rules/ns';
import { brokenBy, type Evidence, notTested, type Verdict, type Verdicts } from '#shared/model/verdict';
import type { DnsFacts } from '../facts.ts';
import type { Claim } from '../servers/claims.ts';
import { inState, named, type ServerFacts, type ServerState } from '../servers/server-facts.ts';
import { foreignName } from './gather-servers.ts';
import { isPathGood, isResolved, judgeNoneAnswers } from './judge-dead.ts';

/** Judges what each name server answered, and that it answered. */
export function judgeServers(facts: DnsFacts) {
  const { servers, domain } = facts;
  const asked = servers.filter(({ state }) => state !== 'not-asked' && state !== 'forbidden');
  const resolved = isResolved(facts);
  const spoke = asked.filter(({ state }) => state !== 'silent');
  const told = (state: ServerState, more: (server: ServerFacts) => Evidence): Verdict => {
    if (asked.length === 0) return notTested('no name server could be asked');
    if (spoke.length === 0 && state !== 'silent') return notTested('no name server answered');
    if (spoke.length === 0 && resolved) return blocked;
    if (spoke.length === 0 && !isPathGood(facts)) return pathUnknown;
    return brokenBy(inState(asked, state).map((server) => ({ ...named(server), ...more(server) })));
  };
  return {
    'ns-none-answers': judgeNoneAnswers(facts),
    'ns-silent': told('silent', ({ why }) => ({ reason: why })),
    'ns-refused': told('refused', ({ why }) => ({ zone: domain, rcode: why })),
    'ns-lame': told('lame', ({ why }) => ({ zone: domain, answer: why })),
    'ns-tcp-missing': isTcpGood(facts, spoke)
      ? judgeClaims(spoke, ({ tcp }) => tcp, false)
      : notTested('no name server answered us by TCP, which may be blocked for us'),
    'ns-edns-broken': judgeClaims(spoke, ({ edns }) => edns, false),
    'ns-edns-version-broken': judgeClaims(spoke, ({ nextEdns }) => nextEdns, false),
    'ns-edns-option-broken': judgeClaims(spoke, ({ unknownOption }) => unknownOption, false),
    'ns-letter-case-broken': judgeClaims(spoke, ({ letters }) => letters, false),
    'ns-upward-referral': judgeClaims(spoke, ({ upward }) => upward, true, { name: foreignName }),
    'ns-open-recursion': judgeClaims(spoke, ({ recursion }) => recursion, true, { name: foreignName }),
  } satisfies Partial<Verdicts<keyof typeof nsRules>>;
}

const blocked = notTested('no name server answered us for the domain, although the resolver got answers');

const pathUnknown = notTested('no other server answered either, so our own network may be the cause');

// TCP works from here where any server answers by it, the parent's too.
function isTcpGood({ evidence: { parentTcp } }: DnsFacts, spoke: readonly ServerFacts[]): boolean {
  return parentTcp?.kind === 'answer' || spoke.some(({ tcp }) => tcp?.is === true);
}

// Judged by those that could be looked at; silent ones have a finding of their own.
function judgeClaims(
  servers: readonly ServerFacts[],
  claimOf: (server: ServerFacts) => Claim,
  fault: boolean,
  more: Evidence = {},
): Verdict {
  const seen = servers.flatMap((server) => {
    const claim = claimOf(server);
    return claim === null ? [] : [{ server, claim }];
  });
  if (seen.length === 0) return notTested('no name server answered');
  return brokenBy(
    seen
      .filter(({ claim }) => claim.is === fault)
      .map(({ server, claim }) => ({ ...named(server), reason: claim.why, ...more })),
  );
}
