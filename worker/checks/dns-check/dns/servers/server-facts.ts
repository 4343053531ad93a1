import { isOurs } from '../../../../dns/not-asked.ts';
import { describeRcode, ownRecords, readAnswer, recordsAt } from '../../../../dns/read-answer.ts';
import { readAll, readMx, readSoa, readText, type Soa } from '../../../../dns/record-values.ts';
import type { DnsAnswer, DnsReply } from '../../../../probes/dns/port.ts';
import type { DnsEvidence, ServerAnswers } from '../evidence.ts';
import { isIpv6 } from './addresses.ts';
import {
  type Claim,
  claimEdns,
  claimLetters,
  claimNextEdns,
  claimUnknownOption,
  no,
  rejectsEdns,
  yes,
} from './claims.ts';

/**
 * How one address of a name server stands towards the domain.
 * `authoritative` knows the zone · `lame` answers, but not as one who knows, or refuses what others answer us · `refused` answers with an error
 * · `silent` does not answer · `forbidden` has an address that is never asked · `not-asked` our own path or time failed
 */
export type ServerState = 'authoritative' | 'lame' | 'refused' | 'silent' | 'forbidden' | 'not-asked';

export type ServerFacts = {
  readonly name: string;
  readonly ip: string;
  readonly state: ServerState;
  /** What is wrong, as a sentence's end; "" for an authoritative one. */
  readonly why: string;
  /** The response code of an error, else null. */
  readonly rcode: string | null;
  readonly rttMs: number | null;
  readonly soa: Soa | null;
  readonly nsNames: readonly string[] | null;
  /** As text, by preference: "10 mail.example.com"; null where it gave no answer of its own. */
  readonly exchanges: readonly string[] | null;
  readonly tcp: Claim;
  readonly edns: Claim;
  /** Answers BADVERS to EDNS version 1. */
  readonly nextEdns: Claim;
  /** Ignores an EDNS option that it does not know. */
  readonly unknownOption: Claim;
  /** Answers a name in mixed case with the same letters. */
  readonly letters: Claim;
  /** Resolves foreign names for us. */
  readonly recursion: Claim;
  /** Refers foreign names to the root. */
  readonly upward: Claim;
};

/**
 * Reads what every address answered. When all IPv6 addresses alike cannot be connected to and IPv4 answers, it is we who have
 * no IPv6: no route looks the same as a closed port.
 */
export function readServerFacts({ servers, domain }: DnsEvidence): readonly ServerFacts[] {
  const all = servers.map((server) => readServer(server, domain));
  const isBlind =
    servers
      .filter(({ address }) => isIpv6(address))
      .every(({ soa, ns }) => isRefused(soa) && isRefused(ns)) &&
    all.some(({ ip, state }) => !isIpv6(ip) && state === 'authoritative');
  return all.map((facts) =>
    isBlind && isIpv6(facts.ip)
      ? { ...facts, state: 'not-asked', why: 'IPv6 does not seem to work from here' }
      : withLameness(facts, all),
  );
}

// A server that refuses or fails while others answer the same question of ours does so to everybody.
function withLameness(facts: ServerFacts, all: readonly ServerFacts[]): ServerFacts {
  const isDisowned = facts.rcode !== null && ['REFUSED', 'NOTAUTH', 'SERVFAIL'].includes(facts.rcode);
  const isAnswered = all.some(({ state }) => state === 'authoritative');
  return isDisowned && isAnswered ? { ...facts, state: 'lame' } : facts;
}

function isRefused(answer: DnsAnswer): boolean {
  return answer.kind === 'failure' && answer.code === 'connection-refused';
}

function readServer(answers: ServerAnswers, domain: string): ServerFacts {
  const { soa, ns } = answers;
  const spoke = pickAnswer(soa, ns);
  const standing = spoke === undefined ? judgeFailure(soa) : judgeStanding(spoke, domain);
  const isAuthoritative = standing.state === 'authoritative';
  const names = isAuthoritative ? authoritativeNames(ns) : [];
  return {
    name: answers.name,
    ip: answers.address,
    ...standing,
    rttMs: spoke?.rttMs ?? null,
    soa: (isAuthoritative && readAll(ownRecords(soa), readSoa)[0]) || null,
    nsNames: names.length > 0 ? names.toSorted() : null,
    exchanges: isAuthoritative ? exchangesIn(answers.mx) : null,
    tcp: spoke ? claimTcp(answers.tcp) : null,
    edns: claimEdns(answers),
    nextEdns: claimNextEdns(answers),
    unknownOption: claimUnknownOption(answers),
    letters: claimLetters(answers),
    recursion: spoke ? claimRecursion(answers.foreign) : null,
    upward: spoke ? claimUpward(answers.foreign) : null,
  };
}

// A server that cannot read EDNS is judged by what it says without.
function pickAnswer(soa: DnsAnswer, ns: DnsAnswer): DnsReply | undefined {
  if (soa.kind === 'answer' && !(rejectsEdns(soa) && ns.kind === 'answer')) return soa;
  return ns.kind === 'answer' ? ns : undefined;
}

function authoritativeNames(ns: DnsAnswer): readonly string[] {
  return ns.kind === 'answer' && ns.flags.aa ? readAll(ownRecords(ns), readText) : [];
}

// Asked in mixed case: a server of the zone that calls its name unknown has met letters that it does not expect.
function exchangesIn(mx: DnsAnswer | undefined): readonly string[] | null {
  if (mx?.kind !== 'answer' || !mx.flags.aa || readAnswer(mx).state === 'unknown') return null;
  if (mx.rcode === 'NXDOMAIN') return null;
  return readAll(ownRecords(mx), readMx)
    .toSorted((a, b) => a.preference - b.preference || (a.exchange < b.exchange ? -1 : 1))
    .map(({ preference, exchange }) => `${preference} ${exchange === '' ? '.' : exchange}`);
}

type ServerStatus = Pick<ServerFacts, 'state' | 'why' | 'rcode'>;

function judgeStanding(answer: DnsReply, domain: string): ServerStatus {
  if (answer.rcode !== 'NOERROR' && answer.rcode !== 'NXDOMAIN')
    return { state: 'refused', why: describeRcode(answer), rcode: answer.rcode };
  const isHere = ownRecords(answer).length > 0 || recordsAt(answer.answers, domain, 'CNAME').length > 0;
  if (answer.flags.aa && isHere) return { state: 'authoritative', why: '', rcode: null };
  return { state: 'lame', why: describeLame(answer, isHere), rcode: null };
}

function judgeFailure(answer: DnsAnswer): ServerStatus {
  if (answer.kind === 'answer') return { state: 'refused', why: answer.rcode, rcode: answer.rcode };
  const { code, reason } = answer;
  if (code === 'target-address-not-allowed')
    return { state: 'forbidden', why: 'its address is not public', rcode: null };
  return { state: isOurs(answer) ? 'not-asked' : 'silent', why: reason, rcode: null };
}

function describeLame(answer: DnsReply, isHere: boolean): string {
  if (isHere) return 'it has the records, but does not set the authority bit';
  if (answer.rcode === 'NXDOMAIN') return 'it says that the domain does not exist';
  const referral = answer.authority.find(({ type }) => type === 'NS');
  if (referral) return `it refers to the servers of ${referral.name === '' ? 'the root' : referral.name}`;
  return 'it has no such record';
}

function claimTcp(tcp: DnsAnswer): Claim {
  if (tcp.kind === 'answer') return yes;
  return isOurs(tcp) ? null : no(tcp.reason);
}

function claimRecursion(foreign: DnsAnswer): Claim {
  if (foreign.kind === 'failure') return null;
  const isResolved = foreign.rcode === 'NOERROR' && foreign.flags.ra && foreign.answers.length > 0;
  return isResolved ? yes : no(foreign.rcode);
}

function claimUpward(foreign: DnsAnswer): Claim {
  if (foreign.kind === 'failure') return null;
  const isReferred = foreign.answers.length === 0 && recordsAt(foreign.authority, '', 'NS').length > 0;
  // A server that resolves for everybody has a rule of its own.
  return isReferred && !foreign.flags.ra ? yes : no('');
}

/** Those servers that stand so. */
export function inState(servers: readonly ServerFacts[], state: ServerState): readonly ServerFacts[] {
  return servers.filter((server) => server.state === state);
}

/** A server as evidence names it. */
export function named({ name, ip }: ServerFacts): { server: string; ip: string } {
  return { server: name, ip };
}
