import { brokenBy, notTested, type Verdict } from '#shared/model/verdict';
import { isInZone } from '../../../../dns/name.ts';
import { isOurs } from '../../../../dns/not-asked.ts';
import { readAnswer, recordsAt } from '../../../../dns/read-answer.ts';
import type { DnsAnswer } from '../../../../probes/dns/port.ts';
import { meantName } from '../../names.ts';
import type { HostAnswers } from '../evidence.ts';
import type { DnsFacts } from '../facts.ts';
import { glueOf, isIpv6 } from '../servers/addresses.ts';
import type { ServerFacts } from '../servers/server-facts.ts';

// RFC 8914 §4: a copy that the resolver could not refresh, and what it says when it reached no server.
const staleErrors = [3, 19];
const noReachableAuthority = 22;
const dnssecErrors = [1, 2, 5, 6, 7, 8, 9, 10, 11, 12, 25, 27];

/** Whether the resolver reached the zone. A copy that has expired, or can only be a copy, is no sign of life. */
export function isResolved(facts: DnsFacts): boolean {
  const { apex, answers } = facts;
  return apex.SOA.state !== 'unknown' && !hasError(answers.SOA, staleErrors) && !isOnlyCached(facts);
}

// A random name cannot be in a cache: where it fails and all servers are silent to us too, the rest of the answers are copies.
function isOnlyCached(facts: DnsFacts): boolean {
  const { evidence, servers, apex } = facts;
  const { random } = evidence;
  const isFailed = readAnswer(random).state === 'unknown' && !(random.kind === 'failure' && isOurs(random));
  // A signed zone may only fail to prove that the name is not there.
  const isUnproven = apex.DS.state !== 'none' || hasError(random, dnssecErrors);
  const isSilent = servers.length > 0 && servers.every(({ state }) => state === 'silent');
  return isFailed && !isUnproven && isSilent && isPathGood(facts);
}

function hasError(answer: DnsAnswer, codes: readonly number[]): boolean {
  return answer.kind === 'answer' && answer.ede.some(({ code }) => codes.includes(code));
}

/** True where the resolver speaks, and a server that is not the domain's answered a direct question: our own path is good. */
export function isPathGood({ evidence: { root, referrals } }: DnsFacts): boolean {
  return root.kind === 'answer' && referrals.some(({ kind }) => kind === 'answer');
}

/** So many servers are named in one sentence; the rest are counted. */
const shownServers = 4;

const noneAsked = notTested('no name server could be asked');
const blocked = notTested('no name server answered us for the domain, although the resolver got answers');
const pathUnknown = notTested('no other server answered either, so our own network may be the cause');
const notDelegated = notTested('the parent zone was not seen to delegate the domain');

/**
 * Judges that somebody answers for the zone. Broken only where that is proven: the parent delegates it, no server answers for it or none can
 * be found, and a control question was answered in the same run, or the resolver itself says that it reached nobody.
 */
export function judgeNoneAnswers(facts: DnsFacts): Verdict {
  const { servers, authoritative } = facts;
  if (authoritative.length > 0) return 'holds';
  if (isResolved(facts)) return servers.length > 0 && servers.every(isAsked) ? blocked : noneAsked;
  const seen = whyDead(facts);
  const isTold = isUnreachableForResolver(facts) && !servers.some(({ rcode }) => rcode !== null);
  if (seen === undefined && !isTold) return noneAsked;
  if (!isTold && !hasControl(facts)) return pathUnknown;
  return isKnownToParent(facts)
    ? dead(servers, seen ?? ['our resolver reached none of its servers'])
    : notDelegated;
}

function dead(servers: readonly ServerFacts[], seen: readonly string[]): Verdict {
  return brokenBy([{ asked: servers.filter(isAsked).length, seen: listed(seen) }]);
}

function isAsked({ state }: ServerFacts): boolean {
  return state !== 'not-asked' && state !== 'forbidden';
}

// A server that answers with an error is its own witness. Silence needs another server that answers at the same kind of address: at IPv4
// where the zone has any, as IPv6 may not work from here.
function hasControl({ servers, evidence: { referrals, root } }: DnsFacts): boolean {
  const parents = referrals.flatMap((answer) => (answer.kind === 'answer' ? [answer.server] : []));
  const spoke = servers.filter(({ rcode }) => rcode !== null).map(({ ip }) => ip);
  const families = [...parents, ...spoke].map(isIpv6);
  const silent = servers.filter(({ state }) => state === 'silent').map(({ ip }) => isIpv6(ip));
  return isGood(root) && (silent.length === 0 || families.includes(silent.every(Boolean)));
}

/** Why nobody answers, server by server; undefined where one could not be asked and might. */
function whyDead({ servers, evidence, domain }: DnsFacts): readonly string[] | undefined {
  if (servers.some(({ state }) => state === 'not-asked') || evidence.notAsked > 0) return undefined;
  const lost = evidence.hosts.filter(({ name }) => !servers.some((server) => server.name === name));
  const reasons = lost.map((host) => whyLost(host, domain, evidence.referrals));
  if (reasons.includes(undefined)) return undefined;
  const lines = [
    ...servers.map(({ name, ip, why }) => `${name} (${ip}): ${why}`),
    ...reasons.flatMap((reason) => reason ?? []),
  ];
  return lines.length === 0 ? undefined : lines;
}

// Nobody can look up a name inside the zone while the zone does not answer: only the parent's glue leads there.
function whyLost({ name, A, AAAA }: HostAnswers, domain: string, referrals: readonly DnsAnswer[]) {
  const states = [A, AAAA].map((answer) => readAnswer(answer).state);
  if (states.every((state) => state === 'none')) {
    const meant = meantName(name, domain);
    return `${name}: it has no address${meant === undefined ? '' : ` (the dot behind ${meant} seems to be missing)`}`;
  }
  const hasReferral = referrals.some((answer) => isReferral(answer, domain));
  const isLost = isInZone(name, domain) && hasReferral && glueOf(referrals, name).length === 0;
  return isLost && !states.includes('found') ? `${name}: the parent gives no address for it` : undefined;
}

function isReferral(answer: DnsAnswer, domain: string): boolean {
  return answer.kind === 'answer' && recordsAt(answer.authority, domain, 'NS').length > 0;
}

// The DS is the parent's own record: with one, or told that there is none, the name is known there.
function isKnownToParent({ apex: { DS }, evidence: { referrals }, domain }: DnsFacts): boolean {
  const isDelegated = referrals.some((answer) => isReferral(answer, domain));
  return isDelegated || DS.state === 'found' || (DS.state === 'none' && !DS.nxdomain);
}

function isUnreachableForResolver({ answers, evidence: { root } }: DnsFacts): boolean {
  return isGood(root) && hasError(answers.SOA, [noReachableAuthority]);
}

// A resolver that does not know the root has a fault of its own.
function isGood(root: DnsAnswer): boolean {
  return root.kind === 'answer' && root.rcode === 'NOERROR';
}

/** True where the zone itself was seen: by one of its servers, or in the resolver's answers. The parent's word of it is not enough. */
export function isZoneSeen(facts: DnsFacts): boolean {
  const { apex, zone, exists, authoritative } = facts;
  const { DS: _, NS, ...own } = apex;
  const known = Object.values(own).filter(({ state }) => state !== 'unknown').length;
  // Less than half of what was asked for says too little of the rest.
  if (known * 2 < Object.keys(own).length) return false;
  if (authoritative.length > 0) return true;
  if (zone.kind === 'inside') return exists !== null;
  if (apex.SOA.state !== 'unknown' && !isResolved(facts)) return false;
  return apex.SOA.state === 'found' || NS.state === 'found' || hasOwnSoa(facts);
}

// "No such record" comes with the SOA of the zone (RFC 2308 §2.2).
function hasOwnSoa({ answers, domain }: DnsFacts): boolean {
  return Object.values(answers).some(
    (answer) => answer.kind === 'answer' && recordsAt(answer.authority, domain, 'SOA').length > 0,
  );
}

function listed(lines: readonly string[]): string {
  const more = lines.length - shownServers;
  return [...lines.slice(0, shownServers), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}
