import type { Json } from '#shared/model/verdict';
import type { RunVantage } from '../vantage/open.ts';
import type { IsRefusedAddress, PlainQuestions } from './plain-questions.ts';
import type { DnsAskOptions, DnsQuestion, DnsReply } from './port.ts';
import { aliasesIn, isSaid, textsIn } from './read-reply.ts';

/** A question and how it is asked. */
export type Asked = { readonly question: DnsQuestion; readonly options: DnsAskOptions };

/** What the servers of a name's own zone say; undefined where none of them could be asked. */
export type ZoneWord = (asked: Asked) => Promise<DnsReply | undefined>;

/** So many name servers are asked, and so many labels of a name may be no zone. */
const limits = { servers: 3, labels: 6, aliases: 8 } as const;

/** Opens the way around a resolver that hides something, cannot bring it or cannot be believed: the zone's own servers are asked. */
export function openZoneWord(
  ask: PlainQuestions,
  vantage: RunVantage,
  isRefused: IsRefusedAddress,
): ZoneWord {
  const isMadeUp = (address: string) =>
    vantage.knownTraits().rewrites.includes(address) || vantage.inside(address) !== undefined;
  const around = { ask, mayBeServer: (address: string) => !isMadeUp(address) && !isRefused(address) };
  const word: ZoneWord = async ({ question, options }) => {
    // A DS record stands in the zone above (RFC 4035 §3.1.4.1).
    const place = question.type === 'DS' ? question.name.split('.').slice(1).join('.') : question.name;
    let servers = await findServersOf(place, around);
    // Once more where they send us on to a zone below.
    for (const _ of ['zone', 'below']) {
      const { answer, next } = await askEach(servers, { question, options }, around);
      if (answer) return answer;
      servers = next;
    }
    return undefined;
  };
  return (asked) => followAliases(asked, word, limits.aliases);
}

/** A name server speaks for its own zone only: what an alias leads to stands in another one (RFC 1034 §4.3.2). */
async function followAliases(asked: Asked, word: ZoneWord, left: number): Promise<DnsReply | undefined> {
  const reply = await word(asked);
  if (
    reply?.rcode !== 'NOERROR' ||
    reply.answers.some(({ type }) => type === reply.question.type) ||
    left === 0
  )
    return reply;
  const name = aliasesIn(reply).at(-1);
  if (name === undefined) return reply;
  const rest = await followAliases({ ...asked, question: { ...asked.question, name } }, word, left - 1);
  return rest && { ...rest, question: reply.question, answers: [...reply.answers, ...rest.answers] };
}

type Around = {
  readonly ask: PlainQuestions;
  /** Whether an address may be that of a name server: not one that the resolver made up, nor one that is not asked anyway. */
  readonly mayBeServer: (address: string) => boolean;
};

async function askEach(
  servers: readonly string[],
  { question, options }: Asked,
  around: Around,
): Promise<{ readonly answer?: DnsReply; readonly next: readonly string[] }> {
  for (const address of servers) {
    const answer = await around.ask.server(address, question, options);
    if (answer.kind !== 'answer' || !isSaid(answer.rcode)) continue;
    if (answer.flags.aa) return { answer, next: [] };
    const next = await readReferral(answer, around);
    if (next.length > 0) return { next };
  }
  return { next: [] };
}

/** Where the parent sends us: by its glue, else by what the resolver says of the names, which stand in other zones then. */
async function readReferral({ authority, additional }: DnsReply, around: Around): Promise<readonly string[]> {
  const glue = additional.flatMap(({ type, data }) => (type === 'A' ? textOf(data) : []));
  if (glue.length > 0) return glue.slice(0, limits.servers);
  const names = authority.flatMap(({ type, data }) => (type === 'NS' ? textOf(data) : []));
  return findAddressesOf(names.slice(0, limits.servers), around);
}

/** Those of the closest zone above that the resolver gives servers for. */
async function findServersOf(name: string, around: Around): Promise<readonly string[]> {
  const labels = name.split('.');
  for (let at = 0; at < Math.min(labels.length, limits.labels); at += 1) {
    const zone = labels.slice(at).join('.');
    const names = textsIn(await around.ask.resolver({ name: zone, type: 'NS' }, {}), 'NS');
    const found = await findAddressesOf(names.slice(0, limits.servers), around);
    if (found.length > 0) return found;
  }
  return [];
}

async function findAddressesOf(
  names: readonly string[],
  { ask, mayBeServer }: Around,
): Promise<readonly string[]> {
  const questions = names.flatMap((name) => [
    { name, type: 'A' },
    { name, type: 'AAAA' },
  ]);
  const found = await Promise.all(
    questions.map(async (question) =>
      textsIn(await ask.resolver(question, {}), question.type)
        .filter(mayBeServer)
        .slice(0, 1),
    ),
  );
  return found.flat();
}

function textOf(data: Json): readonly string[] {
  return typeof data === 'string' ? [data] : [];
}
