import { isInZone } from '../../../../dns/name.ts';
import { foundRecords, ownRecords, readAnswer } from '../../../../dns/read-answer.ts';
import { isObject, readAll, readMx, readNsec3Param, readText } from '../../../../dns/record-values.ts';
import type { DnsAnswer, DnsAskOptions, DnsQuestion } from '../../../../probes/dns/port.ts';
import { early } from '../../../early.ts';
import type { HalfContext, SharedAnswers } from '../../halves.ts';
import { isSpf } from '../../mail/spf/parse-spf.ts';
import { neighbourOf } from './neighbour.ts';
import { denialsIn } from './speaks-of.ts';

/**
 * What is asked below the domain by everybody, and whose denial feeds findings; each as it is asked elsewhere in the run, so that it is asked once.
 * @returns in the order in which they are held against the servers
 */
export async function askWatched(context: HalfContext, shared: SharedAnswers): Promise<readonly DnsAnswer[]> {
  const { domain, ask } = context;
  const [mx, ns, txt] = await Promise.all([shared.apex.MX, shared.apex.NS, shared.apex.TXT]);
  const below = (names: readonly string[]) => namesBelow(domain, names);
  const hosts = below(exchangesIn(mx));
  const text = (label: string) => [{ name: `${label}.${domain}`, type: 'TXT' }, {}] as const;
  const signed = { dnssecOk: true } as const;
  const wanted: readonly (readonly [DnsQuestion, DnsAskOptions])[] = [
    text('_dmarc'),
    ...hosts.flatMap((name) => ['A', 'AAAA'].map((type) => [{ name, type }, signed] as const)),
    ...below(includesIn(txt)).map((name) => [{ name, type: 'TXT' }, {}] as const),
    text('_mta-sts'),
    text('_smtp._tls'),
    ...below(readAll(ownRecords(ns), readText)).map(
      (name) => [{ name, type: 'A' }, { checkingDisabled: true }] as const,
    ),
    ...hosts.map((name) => [{ name: `_25._tcp.${name}`, type: 'TLSA' }, signed] as const),
  ];
  return Promise.all(wanted.map(async ([question, options]) => ask(question, options)));
}

const hostLimit = 2;

function namesBelow(domain: string, names: readonly string[]): readonly string[] {
  return [...new Set(names.map((name) => name.toLowerCase()))]
    .filter((name) => name !== domain && isInZone(name, domain))
    .slice(0, hostLimit);
}

function exchangesIn(mx: DnsAnswer): readonly string[] {
  return readAll(foundRecords(readAnswer(mx)), readMx).map(({ exchange }) => exchange);
}

/** The records that an SPF record leads to; those that depend on the message are nobody's here. */
function includesIn(answer: DnsAnswer): readonly string[] {
  const texts = foundRecords(readAnswer(answer)).flatMap(({ data }) =>
    isObject(data) ? [data['text']] : [],
  );
  return texts.flatMap((text) =>
    typeof text === 'string' && isSpf(text)
      ? [...text.matchAll(/(?:include:|redirect=)([^\s%]{1,253})(?=\s|$)/gi)].map(([, name = '']) => name)
      : [],
  );
}

/** Names that are not there, and whose denial tells of those that most is lost with: where the policy for mail stands, and a mail host. */
export async function absentNames(
  { domain }: HalfContext,
  { apex }: SharedAnswers,
): Promise<readonly string[]> {
  const [mx, parameters] = await Promise.all([apex.MX, apex.NSEC3PARAM]);
  const [hashing] = readAll(ownRecords(parameters), readNsec3Param);
  const names = [`_dmarc.${domain}`, ...namesBelow(domain, exchangesIn(mx)).slice(0, 1)];
  return names.map((name) => neighbourOf(name, hashing));
}

/** What is asked of the first servers at most: 12 questions in a run. */
const limits = { denied: 6, covered: 2, proofs: 2, servers: 2 } as const;

/** What a server itself has of what was denied, or what its own proofs deny. */
export type OwnAnswers = { readonly owns: readonly DnsAnswer[]; readonly proofs: readonly DnsAnswer[] };

type AtServer = {
  readonly server: string;
  /** Its place among the servers, and that of the one that answered first. */
  readonly at: number;
  readonly speaker: Promise<number>;
  readonly watched: Promise<readonly DnsAnswer[]>;
  /** Its proofs that other things are not there. */
  readonly seen: Promise<readonly DnsAnswer[]>;
  /** The apex' NSEC3PARAM. */
  readonly parameters: Promise<DnsAnswer>;
  readonly absentType: string;
};

/**
 * Holds what is denied against what a server has, and asks it to prove the denial where it has it. The first server to answer is asked for what the
 * resolver was told is not there, the first two of the list for what their own proofs say is not there although the resolver found it.
 */
export async function askOwn(context: HalfContext, { at, ...from }: AtServer): Promise<OwnAnswers> {
  const { domain, ask } = context;
  const how = { server: from.server, dnssecOk: true } as const;
  const [watched, speaker] = await Promise.all([from.watched, from.speaker]);
  if (at !== speaker && at >= limits.servers) return { owns: [], proofs: [] };
  const denied = at === speaker ? deniedIn(watched).slice(0, limits.denied) : [];
  const has = early(Promise.all(denied.map(async ({ question }) => ask(question, how))));
  const denials = denialsIn(await from.seen, domain);
  const covered = (at < limits.servers ? watched : [])
    .filter((answer) => isThere(answer) && denials.some((speaks) => speaks(answer.question) !== undefined))
    .slice(0, limits.covered);
  const [found, owns] = await Promise.all([
    has,
    Promise.all(covered.map(async ({ question }) => ask(question, how))),
  ]);
  const open = found.filter(
    (own) => isThere(own) && denials.every((speaks) => speaks(own.question) === undefined),
  );
  const [hashing] = readAll(ownRecords(await from.parameters), readNsec3Param);
  const proofs = await Promise.all(
    open.slice(0, limits.proofs).map(async ({ question: { name } }) => {
      const isName = isNxdomain(denied.find(({ question }) => question.name === name));
      const question = isName
        ? { name: neighbourOf(name, hashing), type: 'A' }
        : { name, type: from.absentType };
      return ask(question, how);
    }),
  );
  return { owns: [...found, ...owns], proofs };
}

function deniedIn(watched: readonly DnsAnswer[]): readonly DnsAnswer[] {
  const none = watched.filter((answer) => {
    const reading = readAnswer(answer);
    return reading.state === 'none' && reading.aliases.length === 0 && answer.kind === 'answer';
  });
  // A name that is not there is asked for once; of a host with an address of one family the other is not missed.
  return none.filter((answer) => {
    const { name, type } = answer.question;
    const same = (other: DnsAnswer) => other.question.name === name;
    const first = none.find((other) => same(other) && isNxdomain(other)) ?? answer;
    const isFamily = type === 'A' || type === 'AAAA';
    return first === answer && !(isFamily && watched.some((other) => same(other) && isThere(other)));
  });
}

function isThere(answer: DnsAnswer): boolean {
  return ownRecords(answer).length > 0 || readAnswer(answer).aliases.length > 0;
}

function isNxdomain(answer: DnsAnswer | undefined): boolean {
  return answer?.kind === 'answer' && answer.rcode === 'NXDOMAIN';
}
