import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'tldts';
import { siteOf } from '#shared/targets/parse-target';
import type { RunVantage } from '../vantage/open.ts';
import { type IsRefusedAddress, notFromHere, type PlainQuestions } from './plain-questions.ts';
import type { DnsAnswer, DnsRecord, DnsReply } from './port.ts';
import { aliasesIn, isSaid, textsIn } from './read-reply.ts';
import type { Asked, ZoneWord } from './zone-word.ts';

/** Extended errors of a resolver that blocks a name: Blocked, Censored, Filtered, Prohibited (RFC 8914 §4.16 to §4.19). */
const blockingErrors = new Set([15, 16, 17, 18]);

/** Whether an answer of the resolver may be its own invention, as those of filters and sinkholes are. */
export function isDoubtful(answer: DnsReply, isRefused: IsRefusedAddress): boolean {
  return (
    answer.rcode === 'REFUSED' ||
    answer.ede.some(({ code }) => blockingErrors.has(code)) ||
    isUnproved(answer) ||
    [...textsIn(answer, 'A'), ...textsIn(answer, 'AAAA')].some(isRefused)
  );
}

/**
 * A denial, of a name or of a type, comes with the SOA record of the zone that makes it, from caches too (RFC 2308 §3, §6). Filters leave it
 * out or send one of their own.
 */
function isUnproved(answer: DnsReply): boolean {
  const isEmpty = answer.rcode === 'NOERROR' && answer.answers.length === 0;
  return (answer.rcode === 'NXDOMAIN' || isEmpty) && !isProved(answer);
}

function isProved(answer: DnsReply): boolean {
  const names = [answer.question.name.toLowerCase(), ...aliasesIn(answer)];
  const isAbove = ({ name: zone, type }: DnsRecord) =>
    type === 'SOA' && names.some((name) => zone !== '' && (name === zone || name.endsWith(`.${zone}`)));
  const isOfRoot = ({ name, type }: DnsRecord) => type === 'SOA' && name === '';
  return answer.authority.some(isAbove) || (answer.authority.some(isOfRoot) && !names.some(hasKnownEnd));
}

/** Whether the name ends in a top-level domain that is there. */
function hasKnownEnd(name: string): boolean {
  return parse(name, { validateHostname: false }).isIcann === true;
}

/** A denial in the name of a zone above a registered domain says that nobody has registered it: the domain. */
export function deniedDomain(answer: DnsReply): string | undefined {
  if (answer.answers.length > 0 || !isSaid(answer.rcode)) return undefined;
  const site = siteOf(answer.question.name.toLowerCase());
  const isAbove = ({ name: zone, type }: DnsRecord) => type === 'SOA' && site.endsWith(`.${zone}`);
  return site.includes('.') && answer.authority.some(isAbove) ? site : undefined;
}

/** What the parent zone's own servers say of a registered domain; unknown where none could be asked in time. */
type ParentWord = 'delegates' | 'denies' | 'unknown';

/** A domain that nobody has registered is told of at once, so nobody waits for more. */
const parentMs = 1500;

/** Asks a server of the parent zone, with three questions. */
async function askParent(site: string, ask: PlainQuestions): Promise<ParentWord> {
  const parent = site.split('.').slice(1).join('.');
  const [name] = textsIn(await ask.resolver({ name: parent, type: 'NS' }, {}), 'NS');
  if (name === undefined) return 'unknown';
  const [address] = textsIn(await ask.resolver({ name, type: 'A' }, {}), 'A');
  if (address === undefined) return 'unknown';
  const answer = await ask.server(address, { name: site, type: 'NS' }, {});
  if (answer.kind === 'failure') return 'unknown';
  if (answer.rcode === 'NXDOMAIN') return answer.flags.aa ? 'denies' : 'unknown';
  const isOwn = ({ name: owner, type }: DnsRecord) => type === 'NS' && owner.toLowerCase() === site;
  return [...answer.answers, ...answer.authority].some(isOwn) ? 'delegates' : 'unknown';
}

/** What is believed of a doubtful answer. */
export type SecondWord = (asked: Asked, answer: DnsReply) => Promise<DnsAnswer>;

/** What the zone's servers make of a doubtful answer: the same, another one, or nobody can say and the resolver cannot be right. */
type Verdict = { readonly kind: 'true' | 'blind' } | { readonly kind: 'false'; readonly said: DnsReply };

type Hearing = {
  readonly ask: PlainQuestions;
  readonly zoneWord: ZoneWord;
  readonly vantage: RunVantage;
};

/** So many doubtful answers of a domain are heard in a run: some resolvers never prove what they deny, and a check asks for much that is not there. */
const heardOfDomain = 12;

/** Opens the second word for the doubtful answers of one run. */
export function openSecondWord(hearing: Hearing): SecondWord {
  const parents = new Map<string, Promise<ParentWord>>();
  const parentOf = (site: string) => {
    const late = delay(parentMs, 'unknown' as const, { ref: false });
    const word = parents.get(site) ?? Promise.race([askParent(site, hearing.ask), late]);
    parents.set(site, word);
    return word;
  };
  const heard = new Map<string, Promise<Verdict>[]>();
  const verdictOf = async (asked: Asked, answer: DnsReply): Promise<Verdict> => {
    const site = siteOf(asked.question.name);
    const before = heard.get(site) ?? [];
    if (before.length >= heardOfDomain && isUnproved(answer)) {
      const verdicts = await Promise.all(before);
      if (verdicts.every(({ kind }) => kind === 'true')) return { kind: 'true' };
    }
    const verdict = hear(asked, answer, hearing);
    heard.set(site, [...before, verdict]);
    return verdict;
  };
  return async (asked, answer) => {
    const denied = deniedDomain(answer);
    const parent = denied === undefined ? 'delegates' : await parentOf(denied);
    if (parent === 'unknown' || (parent === 'denies' && answer.rcode === 'NXDOMAIN')) return answer;
    if (parent === 'denies') {
      hearing.vantage.meet('honest-dns');
      return { ...answer, rcode: 'NXDOMAIN' };
    }
    const verdict = await verdictOf(asked, answer);
    if (verdict.kind === 'true') return answer;
    const reason = hearing.vantage.meet('honest-dns');
    return verdict.kind === 'false' ? verdict.said : notFromHere(asked.question, reason);
  };
}

async function hear(asked: Asked, answer: DnsReply, { ask, zoneWord }: Hearing): Promise<Verdict> {
  const said = await zoneWord(asked);
  if (said) return isSame(answer, said) ? { kind: 'true' } : { kind: 'false', said };
  return { kind: (await isInvented(answer, ask)) ? 'blind' : 'true' };
}

/** Whether an answer cannot be the zone's, as far as can be told without it. */
async function isInvented(answer: DnsReply, ask: PlainQuestions): Promise<boolean> {
  // Nobody can be reached at such an address (RFC 1122 §3.2.1.3).
  const isNowhere = [...textsIn(answer, 'A'), ...textsIn(answer, 'AAAA')].some((one) => /^[0.:]+$/.test(one));
  if (isNowhere || answer.ede.some(({ code }) => blockingErrors.has(code))) return true;
  if (!isUnproved(answer)) return false;
  const { name } = answer.question;
  // A filter may block one host, or a domain with all that is below it.
  const siblings = [...new Set([name, siteOf(name)])].map((one) => isSiblingProved(one, ask));
  const others = hasKnownEnd(name) ? [...siblings, isEndDenied(name, ask)] : siblings;
  return (await Promise.all(others)).includes(true);
}

/** Whether the resolver knows nothing of a top-level domain that is there: it denies every name, or has a root of its own. */
async function isEndDenied(name: string, ask: PlainQuestions): Promise<boolean> {
  const answer = await ask.resolver({ name: name.split('.').at(-1) ?? '', type: 'NS' }, {});
  return answer.kind === 'answer' && answer.rcode === 'NXDOMAIN';
}

/** Whether the resolver proves what it denies of a name beside this one, which is not there either. */
async function isSiblingProved(name: string, ask: PlainQuestions): Promise<boolean> {
  const sibling = [randomBytes(9).toString('hex'), ...name.split('.').slice(1)].join('.');
  const answer = await ask.resolver({ name: sibling, type: 'A' }, { dnssecOk: true });
  return answer.kind === 'answer' && answer.rcode === 'NXDOMAIN' && isProved(answer);
}

function isSame(answer: DnsReply, said: DnsReply): boolean {
  const dataOf = ({ answers }: DnsReply) =>
    answers.filter(({ type }) => type === answer.question.type).map(({ data }) => JSON.stringify(data));
  const theirs = dataOf(said);
  const ours = dataOf(answer);
  if (answer.rcode !== said.rcode) return false;
  return ours.length === 0 ? theirs.length === 0 : ours.some((one) => theirs.includes(one));
}
