import { steadyNow } from '#shared/time/steady-time';
import type { WayOut } from '../from-here.ts';
import { windowsIn } from '../vantage/clock-control.ts';
import { unlessOurs } from '../vantage/early.ts';
import { type RunVantage, trustedNetwork } from '../vantage/open.ts';
import { type Family, familyKind, familyOf, type Way } from '../vantage/ways.ts';
import { type IsRefusedAddress, notFromHere, type PlainQuestions } from './plain-questions.ts';
import type { DnsAnswer, DnsAskOptions, DnsQuestion, DnsReply } from './port.ts';
import { isSaid, textsIn } from './read-reply.ts';
import { deniedDomain, isDoubtful, openSecondWord, type SecondWord } from './second-word.ts';
import { type Asked, openZoneWord } from './zone-word.ts';

/** The same questions, whose answers tell of the target only: what this machine's network or its resolver does to them is taken out. */
export function openQuestionsFromHere(
  ask: PlainQuestions,
  way: WayOut,
  isRefused: IsRefusedAddress,
): PlainQuestions {
  const { vantage } = way;
  const server = askServersFromHere(ask, way);
  const plain: PlainQuestions = { server, resolver: (question, options) => ask.resolver(question, options) };
  const zoneWord = openZoneWord(plain, vantage, isRefused);
  const instead: Instead = async (asked, way) => {
    // What is only too long for our resolver is missing where nobody else brings it.
    if (way !== 'resolver/large') vantage.meet(way);
    return (await zoneWord(asked)) ?? notFromHere(asked.question, vantage.meet(way));
  };
  const secondWord = openSecondWord({ ask: plain, zoneWord, vantage });
  const doubt: SecondWord = async (asked, answer) =>
    vantage !== trustedNetwork && (isDoubtful(answer, isRefused) || deniedDomain(answer) !== undefined)
      ? secondWord(asked, answer)
      : answer;
  return { server, resolver: askResolverFromHere(ask, vantage, { instead, doubt }) };
}

function askServersFromHere(ask: PlainQuestions, { vantage, via }: WayOut): PlainQuestions['server'] {
  const whyNot = async (address: string, { transport }: DnsAskOptions) => {
    const reached = familyOf(await via(address));
    if (reached === 6 && !(await vantage.knowsNat64())) return vantage.meet('resolver');
    const ways = waysTo(reached, transport);
    if (reached === familyOf(address)) return vantage.lacks(ways);
    vantage.meet('nat64');
    return vantage.lacks(['nat64', ...ways]);
  };
  return async (address, question, options) => {
    if (vantage.inside(address) !== undefined) return insideNat64(question, address);
    const why = await whyNot(address, options);
    if (why !== undefined) return notFromHere(question, why, address);
    const family = familyOf(await via(address));
    const translation: readonly Way[] = family === familyOf(address) ? [] : ['nat64'];
    const isPlain = options.edns !== false && (await vantage.lacks([`edns/${family}`])) !== undefined;
    if (isPlain && isAboutEdns(options))
      return notFromHere(question, vantage.meet(`edns/${family}`), address);
    const since = steadyNow();
    const asked = ask.server(address, question, isPlain ? { ...options, edns: false } : options);
    const silence = {
      ways: [...translation, ...waysOfSilence(options, family)],
      since,
      address,
      isEarly: true,
    };
    const early = await unlessOurs(asked, async () => (await vantage.blame(silence)).ours);
    if ('ours' in early) return notFromHere(question, early.ours, address);
    const answer = early.value;
    await lookAtTimes(answer, vantage);
    const ways = suspectsOf(answer, options, family);
    if (ways.length === 0) {
      teach(answer, vantage, family);
      return answer;
    }
    const hasNoRoute = answer.kind === 'failure' && answer.code === 'network-unreachable';
    const { ours } = await vantage.blame({ ways: [...translation, ...ways], since, address, hasNoRoute });
    return ours === undefined ? answer : notFromHere(question, ours, address);
  };
}

/** One below the prefix of a NAT64 leads to any host of IPv4, ours too: no name server has it. */
function insideNat64(question: DnsQuestion, server: string): DnsAnswer {
  const reason = 'the name server has an address that is translated here';
  return { kind: 'failure', question, code: 'target-address-not-allowed', reason, server };
}

function askResolverFromHere(
  ask: PlainQuestions,
  vantage: RunVantage,
  { instead, doubt }: Beside,
): PlainQuestions['resolver'] {
  const again = askAgainWhereItFails(ask);
  return async (question, options) => {
    const since = steadyNow();
    const [early, traits] = await Promise.all([
      unlessOurs(again(question, options), async () => {
        const { ours } = await vantage.blame({ ways: ['resolver'], since, isEarly: true });
        return ours;
      }),
      vantage.traits(),
    ]);
    if ('ours' in early) return notFromHere(question, early.ours);
    const answer = early.value;
    if (answer.kind === 'failure' || isRefusal(answer))
      return explainSilence(answer, { question, options, since }, vantage, { instead, doubt });
    vantage.worked('resolver');
    await lookAtTimes(answer, vantage);
    if (isHidable(question.type) && answer.answers.length === 0 && (await vantage.hidesTypes()))
      return instead({ question, options }, 'dns-types');
    const isRewritten = traits.rewrites.length > 0 && isMadeUp(answer, traits.rewrites);
    if (isRewritten) return instead({ question, options }, 'honest-dns');
    const own = withoutSynthesised(answer, vantage);
    // A resolver makes such an address only where it was told that there is none (RFC 6147 §5.1.7): that has no proof any more.
    return own === answer ? doubt({ question, options }, answer) : own;
  };
}

/** A failure that came within this time is asked about again: whoever needs longer has tried itself. */
const promptMs = 2500;
/** So often, and of so many questions in a run that fail all the same. */
const [tries, failing] = [5, 8];

/**
 * Some resolvers fail at any question now and then. A bare SERVFAIL is asked about again; one that names DNSSEC or the way there (RFC 8914)
 * says enough. Where many fail for good, it is the domain that does.
 */
function askAgainWhereItFails(ask: Pick<PlainQuestions, 'resolver'>): PlainQuestions['resolver'] {
  let failed = 0;
  return async (question, options) => {
    const start = performance.now();
    let answer = await ask.resolver(question, options);
    for (let left = tries; left > 0 && isBareFailure(answer); left -= 1) {
      if (failed >= failing || performance.now() - start > promptMs) return answer;
      answer = await ask.resolver(question, options);
      if (left === 1 && isBareFailure(answer)) failed += 1;
    }
    return answer;
  };
}

function isBareFailure(answer: DnsAnswer): boolean {
  return answer.kind === 'answer' && answer.rcode === 'SERVFAIL' && answer.ede.length === 0;
}

/** A signature that does not hold now may hold by another clock (RFC 4035 §5.3.1). */
async function lookAtTimes(answer: DnsAnswer, vantage: RunVantage): Promise<void> {
  if (answer.kind === 'failure') return;
  const windows = windowsIn(answer);
  const nowMs = Date.now();
  if (windows.some(({ from, to }) => nowMs < from || nowMs > to)) await vantage.suspectClock();
}

/** What a resolver that sells names that do not exist says of one: its own address, or nothing without the SOA record of a true answer (RFC 2308 §2). */
function isMadeUp(answer: DnsReply, rewrites: readonly string[]): boolean {
  if (answer.answers.length === 0) return !answer.authority.some(({ type }) => type === 'SOA');
  return textsIn(answer, answer.question.type).some((address) => rewrites.includes(address));
}

/** What the servers of the zone say themselves where this is missing here, or that nobody can say. */
type Instead = (asked: Asked, way: Way) => Promise<DnsAnswer>;
/** What else is asked where the resolver does not serve. */
type Beside = { readonly instead: Instead; readonly doubt: SecondWord };

/** Types that resolvers and firewalls are known to hide, whose lack would be reported as the target's. */
function isHidable(type: string): boolean {
  return type === 'DS' || type === 'DNSKEY' || type === 'CAA' || type === 'HTTPS';
}

function isRefusal({ rcode }: DnsReply): boolean {
  return !isSaid(rcode);
}

async function explainSilence(
  answer: DnsAnswer,
  { question, options, since }: Asked & { readonly since: number },
  vantage: RunVantage,
  { instead, doubt }: Beside,
): Promise<DnsAnswer> {
  if (answer.kind === 'failure' && (answer.code === 'invalid-name' || answer.code === 'budget-spent'))
    return answer;
  // The answer was there, and too long for the way to our own resolver.
  if (answer.kind === 'failure' && answer.code === 'tcp-failed' && vantage !== trustedNetwork)
    return instead({ question, options }, 'resolver/large');
  if (answer.kind === 'answer' && answer.rcode === 'NOTIMP' && (await vantage.hidesTypes()))
    return instead({ question, options }, 'dns-types');
  const { ours } = await vantage.blame({ ways: ['resolver'], since });
  if (ours !== undefined) return notFromHere(question, ours);
  return answer.kind === 'answer' ? doubt({ question, options }, answer) : answer;
}

/** What a NAT64's resolver adds is not the target's: the name has no such address. */
function withoutSynthesised(answer: DnsReply, vantage: RunVantage): DnsReply {
  if (answer.question.type !== 'AAAA' || vantage.knownTraits().nat64.length === 0) return answer;
  const isAdded = ({ type, data }: DnsReply['answers'][number]) =>
    type === 'AAAA' && typeof data === 'string' && vantage.inside(data) !== undefined;
  if (!answer.answers.some(isAdded)) return answer;
  return { ...answer, answers: answer.answers.filter((record) => !isAdded(record)) };
}

/** What could be missing here, if a name server answers like this; none where it speaks for itself. */
function suspectsOf(answer: DnsAnswer, options: DnsAskOptions, family: Family): readonly Way[] {
  if (answer.kind === 'answer') {
    const isReferral = answer.rcode === 'NOERROR' && answer.answers.length === 0 && !answer.flags.ra;
    return answer.flags.aa || isReferral ? [] : [`dns-direct/${family}`, familyKind(family)];
  }
  if (answer.code === 'tcp-failed') return waysTo(family, 'tcp');
  return silences.includes(answer.code) ? waysOfSilence(options, family) : [];
}

/** What a question to a name server needs of this network. */
function waysTo(family: Family, transport: DnsAskOptions['transport']): readonly Way[] {
  const ways: readonly Way[] = [`dns-direct/${family}`, familyKind(family)];
  return transport === 'tcp' ? [...ways, `tcp/${family}`, `dns-tcp/${family}`] : ways;
}

function waysOfSilence(
  { transport, edns }: Pick<DnsAskOptions, 'transport' | 'edns'>,
  family: Family,
): readonly Way[] {
  const ways = waysTo(family, transport);
  return transport === 'tcp' || edns === false ? ways : [...ways, `edns/${family}`];
}

const silences: readonly string[] = ['timeout', 'connection-refused', 'network-unreachable'];

function teach(answer: DnsAnswer, vantage: RunVantage, family: Family): void {
  if (answer.kind !== 'answer' || answer.flags.ra) return;
  vantage.worked(`dns-direct/${family}`, familyKind(family));
  if (answer.transport === 'tcp') vantage.worked(`dns-tcp/${family}`, `tcp/${family}`);
  else if (answer.edns !== null) vantage.worked(`edns/${family}`);
}

/** Questions that ask how a server takes EDNS, or for what only EDNS brings. */
function isAboutEdns({ dnssecOk, ednsVersion, unknownOption }: DnsAskOptions): boolean {
  return dnssecOk === true || (ednsVersion ?? 0) > 0 || unknownOption === true;
}
