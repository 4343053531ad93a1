import type { nsRules } from '#shared/catalogue/dns-check/rules/ns';
import {
  brokenBy,
  type Evidence,
  isBroken,
  notTested,
  type Verdict,
  type Verdicts,
} from '#shared/model/verdict';
import { isOurs } from '../../../../dns/not-asked.ts';
import type { DnsAnswer } from '../../../../probes/dns/port.ts';
import type { DnsFacts } from '../facts.ts';
import { isIpv6 } from '../servers/addresses.ts';
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
    'ns-silent': judgeSilent(
      servers,
      told('silent', ({ why }) => ({ reason: why })),
    ),
    'ns-type-failed': judgeTypes(facts, spoke),
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

// A silent address is blamed where another of its kind answers from the same place: ours.
function judgeSilent(servers: readonly ServerFacts[], verdict: Verdict): Verdict {
  if (!isBroken(verdict)) return verdict;
  const families = servers.flatMap(({ state, ip }) => (isHeard(state) ? [isIpv6(ip)] : []));
  const silent = inState(servers, 'silent').filter(({ ip }) => families.includes(isIpv6(ip)));
  if (silent.length > 0) return brokenBy(silent.map((one) => ({ ...named(one), reason: one.why })));
  return families.length === 0 ? verdict : otherKind;
}

const otherKind = notTested('no other server answered us at that kind of address, which may be closed to us');

function isHeard(state: ServerState): boolean {
  return state === 'authoritative' || state === 'lame' || state === 'refused';
}

// A server that knows the zone has an answer for each type, if only that there is none.
function judgeTypes({ evidence, domain }: DnsFacts, spoke: readonly ServerFacts[]): Verdict {
  const known = spoke.filter(({ state }) => state === 'authoritative');
  if (known.length === 0) return notTested('no name server answered for the zone');
  // MX is asked in mixed case, and what comes of that has a rule of its own; without it the question is put to those that failed.
  const answers = [
    ...evidence.direct.filter(({ question }) => question.type !== 'MX'),
    ...evidence.servers.flatMap(({ plainMx }) => plainMx ?? []),
  ];
  const failed = answers.flatMap((answer) => {
    const server = known.find(({ ip }) => ip === answer.server);
    const how = server?.edns?.is === false ? undefined : typeFault(answer);
    if (!server || how === undefined) return [];
    return [{ ...named(server), zone: domain, type: answer.question.type, how }];
  });
  return brokenBy(failed);
}

// A name that has a SOA exists, so NXDOMAIN is as wrong as an error (RFC 4074 §4.2); silence after three tries is too, as others were answered.
function typeFault(answer: DnsAnswer): string | undefined {
  if (answer.kind === 'failure')
    return answer.code === 'timeout' && !isOurs(answer) ? 'does not answer' : undefined;
  return answer.rcode === 'NOERROR' ? undefined : `answers ${answer.rcode}`;
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
