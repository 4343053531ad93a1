import type { VantageKind } from '#shared/model/vantage';
import { steadyNow } from '#shared/time/steady-time';
import type { WayOut } from '../from-here.ts';
import { unlessOurs } from '../vantage/early.ts';
import { type RunVantage, trustedNetwork } from '../vantage/open.ts';
import { type IsRefusedAddress, notFromHere, type PlainQuestions } from './plain-questions.ts';
import type { DnsAnswer, DnsAskOptions, DnsReply } from './port.ts';
import { textsIn } from './read-reply.ts';
import { isDoubtful, openSecondWord, type SecondWord } from './second-word.ts';
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
  const instead: Instead = async (asked, kind) => {
    const reason = vantage.meet(kind);
    return (await zoneWord(asked)) ?? notFromHere(asked.question, reason);
  };
  const secondWord = openSecondWord({ ask: plain, zoneWord, vantage });
  const doubt: SecondWord = async (asked, answer) =>
    vantage !== trustedNetwork && isDoubtful(answer, isRefused) ? secondWord(asked, answer) : answer;
  return { server, resolver: askResolverFromHere(ask, vantage, { instead, doubt }) };
}

function askServersFromHere(ask: PlainQuestions, { vantage, via }: WayOut): PlainQuestions['server'] {
  const isTranslated = async (address: string) => (await via(address)) !== address;
  const whyNot = async (address: string, { transport }: DnsAskOptions) => {
    const hidden = await vantage.lacks(transport === 'tcp' ? ['dns-direct', 'dns-tcp'] : ['dns-direct']);
    if (hidden !== undefined) return hidden;
    if (!(await isTranslated(address))) return vantage.lacks([familyOf(address)]);
    vantage.meet('ipv4');
    return undefined;
  };
  return async (address, question, options) => {
    const why = await whyNot(address, options);
    if (why !== undefined) return notFromHere(question, why, address);
    const isPlain = options.edns !== false && (await vantage.lacks(['edns'])) !== undefined;
    if (isPlain && isAboutEdns(options)) return notFromHere(question, vantage.meet('edns'), address);
    const since = steadyNow();
    const family = familyOf(address);
    const asked = ask.server(address, question, isPlain ? { ...options, edns: false } : options);
    const silence = { kinds: kindsOfSilence(options, family), since, address, isEarly: true };
    const early = await unlessOurs(asked, async () => (await vantage.blame(silence)).ours);
    if ('ours' in early) return notFromHere(question, early.ours, address);
    const answer = early.value;
    const kinds = suspectsOf(answer, options, family);
    if (kinds.length === 0) {
      teach(answer, vantage, family);
      return answer;
    }
    const hasNoRoute = answer.kind === 'failure' && answer.code === 'network-unreachable';
    const { ours } = await vantage.blame({ kinds, since, address, hasNoRoute });
    return ours === undefined ? answer : notFromHere(question, ours, address);
  };
}

function askResolverFromHere(
  ask: PlainQuestions,
  vantage: RunVantage,
  { instead, doubt }: Beside,
): PlainQuestions['resolver'] {
  return async (question, options) => {
    const since = steadyNow();
    const [early, traits] = await Promise.all([
      unlessOurs(ask.resolver(question, options), async () => {
        const { ours } = await vantage.blame({ kinds: ['resolver'], since, isEarly: true });
        return ours;
      }),
      vantage.traits(),
    ]);
    if ('ours' in early) return notFromHere(question, early.ours);
    const answer = early.value;
    if (answer.kind === 'failure' || isRefusal(answer))
      return explainSilence(answer, { question, options, since }, vantage, { instead, doubt });
    vantage.worked('resolver');
    if (isHidable(question.type) && answer.answers.length === 0 && (await vantage.hidesTypes()))
      return instead({ question, options }, 'dns-types');
    const isRewritten = traits.rewrites.length > 0 && isMadeUp(answer, traits.rewrites);
    if (isRewritten) return instead({ question, options }, 'honest-dns');
    return doubt({ question, options }, withoutSynthesised(answer, vantage));
  };
}

function familyOf(address: string): VantageKind {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}

/** What a resolver that sells names that do not exist says of one: its own address, or nothing without the SOA record of a true answer (RFC 2308 §2). */
function isMadeUp(answer: DnsReply, rewrites: readonly string[]): boolean {
  if (answer.answers.length === 0) return !answer.authority.some(({ type }) => type === 'SOA');
  return textsIn(answer, answer.question.type).some((address) => rewrites.includes(address));
}

/** What the servers of the zone say themselves where this is missing here, or that nobody can say. */
type Instead = (asked: Asked, kind: VantageKind) => Promise<DnsAnswer>;
/** What else is asked where the resolver does not serve. */
type Beside = { readonly instead: Instead; readonly doubt: SecondWord };

/** Types that resolvers and firewalls are known to hide, whose lack would be reported as the target's. */
function isHidable(type: string): boolean {
  return type === 'DS' || type === 'DNSKEY' || type === 'CAA' || type === 'HTTPS';
}

function isRefusal({ rcode }: DnsReply): boolean {
  return rcode !== 'NOERROR' && rcode !== 'NXDOMAIN';
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
    return instead({ question, options }, 'dns-tcp');
  if (answer.kind === 'answer' && answer.rcode === 'NOTIMP' && (await vantage.hidesTypes()))
    return instead({ question, options }, 'dns-types');
  const { ours } = await vantage.blame({ kinds: ['resolver'], since });
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
function suspectsOf(answer: DnsAnswer, options: DnsAskOptions, family: VantageKind): readonly VantageKind[] {
  if (answer.kind === 'answer') {
    const isReferral = answer.rcode === 'NOERROR' && answer.answers.length === 0 && !answer.flags.ra;
    return answer.flags.aa || isReferral ? [] : ['dns-direct', family];
  }
  if (answer.code === 'tcp-failed') return ['dns-direct', 'dns-tcp', family];
  return silences.includes(answer.code) ? kindsOfSilence(options, family) : [];
}

function kindsOfSilence(
  { transport, edns }: Pick<DnsAskOptions, 'transport' | 'edns'>,
  family: VantageKind,
): readonly VantageKind[] {
  if (transport === 'tcp') return ['dns-direct', 'dns-tcp', family];
  return edns === false ? ['dns-direct', family] : ['dns-direct', 'edns', family];
}

const silences: readonly string[] = ['timeout', 'connection-refused', 'network-unreachable'];

function teach(answer: DnsAnswer, vantage: RunVantage, family: VantageKind): void {
  if (answer.kind !== 'answer' || answer.flags.ra) return;
  vantage.worked('dns-direct', family);
  if (answer.transport === 'tcp') vantage.worked('dns-tcp');
  else if (answer.edns !== null) vantage.worked('edns');
}

/** Questions that ask how a server takes EDNS, or for what only EDNS brings. */
function isAboutEdns({ dnssecOk, ednsVersion, unknownOption }: DnsAskOptions): boolean {
  return dnssecOk === true || (ednsVersion ?? 0) > 0 || unknownOption === true;
}
