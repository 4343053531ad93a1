import { randomBytes } from 'node:crypto';
import type { DnsAnswer, DnsAskOptions, DnsQuestion, DnsReply } from '../dns/port.ts';
import { isSaid, textsIn } from '../dns/read-reply.ts';
import { ipv4OnlyName, readPrefixes } from './nat64.ts';
import type { ControlNotes, ControlWire, Outcome } from './port.ts';
import { openShared } from './share.ts';

/** What is asked of this machine's own resolver, to learn what it does to answers. */
export type ResolverControls = {
  answers(): Promise<Outcome>;
  /** Whether it brings answers that are longer than 512 octets. */
  large(): Promise<Outcome>;
  /** Whether it answers for all types of records. */
  types(): Promise<Outcome>;
  /** Whether it says that a name does not exist, and only of one that does not. */
  honest(): Promise<Outcome>;
  learnRewrites(): Promise<void>;
  learnNat64(): Promise<void>;
};

/** Opens them. */
export function openResolverControls(wire: ControlWire, notes: ControlNotes): ResolverControls {
  const sharedOutcome = openShared<Outcome>(wire.now);
  /** Where it answers nothing, not much else is asked of it. */
  const answers = () => sharedOutcome('', () => lookForAnswer(wire, notes));
  const sharedTruth = openShared<Truth>(wire.now);
  const truth = () => sharedTruth('', () => askForTruth(wire, notes));
  const shared = openShared<DnsAnswer | undefined>(wire.now);
  /** With its signature, as its length is what is asked for as well. */
  const ask = (name: string, type: string) =>
    shared(`${name} ${type}`, async () =>
      (await answers()) !== 'fails' && notes.mayAsk()
        ? wire.askResolver({ name, type }, { dnssecOk: true })
        : undefined,
    );
  return {
    honest: async () => (await truth()).outcome,
    answers,
    large: () => lookAtLength(ask),
    types: () => lookAtTypes(ask),
    async learnRewrites() {
      notes.keepTraits({ rewrites: (await truth()).rewrites });
    },
    async learnNat64() {
      const mapped = await askTillSaid({ name: ipv4OnlyName, type: 'AAAA' }, wire, notes);
      // Only an answer says that there is none: silence says nothing.
      if (mapped) notes.keepTraits({ nat64: readPrefixes(textsIn(mapped, 'AAAA')) });
    },
  };
}

async function lookForAnswer(wire: ControlWire, notes: ControlNotes): Promise<Outcome> {
  const question = { name: '', type: 'NS' };
  const answer = await askTillSaid(question, wire, notes, { edns: false });
  return answer === undefined ? 'unsure' : answer === null ? 'fails' : 'works';
}

/** One that fails now and then answers all the same: so often it is asked. */
const tries = 4;

/** The answer; null where there is none, undefined where no question is left. */
async function askTillSaid(
  question: DnsQuestion,
  wire: ControlWire,
  notes: ControlNotes,
  options?: DnsAskOptions,
): Promise<DnsReply | null | undefined> {
  for (let left = tries; left > 0; left -= 1) {
    if (!notes.mayAsk()) return undefined;
    const answer = await wire.askResolver(question, options);
    if (answer.kind === 'failure') return null;
    if (isSaid(answer.rcode)) return answer;
  }
  return null;
}

type Ask = (name: string, type: string) => Promise<DnsAnswer | undefined>;

const hidden = [
  { name: '', type: 'DNSKEY', isThere: true },
  { name: 'com', type: 'DS', isThere: true },
  { name: '', type: 'CAA', isThere: false },
  { name: '', type: 'HTTPS', isThere: false },
];

async function lookAtTypes(ask: Ask): Promise<Outcome> {
  const answers = await Promise.all(
    hidden.map(async ({ name, type, isThere }) => {
      const answer = await ask(name, type);
      if (!answer || answer.kind === 'failure') return 'unsure';
      if (answer.rcode === 'NOTIMP') return 'fails';
      const isEmpty = answer.rcode === 'NOERROR' && textTypes(answer, type) === 0;
      return isThere && isEmpty ? 'fails' : 'works';
    }),
  );
  return answers.find((one) => one === 'fails') ?? answers.find((one) => one === 'unsure') ?? 'works';
}

/** The keys of the root have some 860 octets with their signature. Where they have fewer, the proof that a long name is not there has more. */
async function lookAtLength(ask: Ask): Promise<Outcome> {
  const label = () => randomBytes(31).toString('hex');
  const questions = [
    ['', 'DNSKEY'],
    [`${label()}.${label()}.${label()}.com`, 'A'],
  ] as const;
  for (const [name, type] of questions) {
    const answer = await ask(name, type);
    if (answer?.kind === 'failure' && answer.code === 'tcp-failed') return 'fails';
    if (answer?.kind === 'answer' && answer.sizeBytes > 512) return 'works';
  }
  return 'unsure';
}

type Truth = { readonly outcome: Outcome; readonly rewrites: readonly string[] };

/** What the resolver says of a name that cannot be there. Its denial is that of com, or nobody's. */
async function askForTruth(wire: ControlWire, notes: ControlNotes): Promise<Truth> {
  if (!notes.mayAsk()) return { outcome: 'unsure', rewrites: [] };
  const name = `${randomBytes(9).toString('hex')}.com`;
  const [answer, six] = await Promise.all([
    wire.askResolver({ name, type: 'A' }),
    notes.mayAsk() ? wire.askResolver({ name, type: 'AAAA' }) : undefined,
  ]);
  const rewrites = [...textsIn(answer, 'A'), ...(six ? textsIn(six, 'AAAA') : [])];
  if (rewrites.length > 0) return { outcome: 'fails', rewrites };
  if (answer.kind === 'failure') return { outcome: 'unsure', rewrites };
  // That the name is there, without a record of it, is as false.
  if (answer.rcode === 'NOERROR') return { outcome: 'fails', rewrites };
  if (answer.rcode !== 'NXDOMAIN') return { outcome: 'unsure', rewrites };
  const isProved = answer.authority.some(({ type, name: zone }) => type === 'SOA' && zone === 'com');
  if (isProved || !notes.mayAsk()) return { outcome: 'works', rewrites };
  // Whether it denies com as well.
  const above = await wire.askResolver({ name: 'com', type: 'NS' });
  const isDenied = above.kind === 'answer' && above.rcode === 'NXDOMAIN';
  return { outcome: isDenied ? 'fails' : 'works', rewrites };
}

function textTypes(answer: DnsAnswer & { readonly kind: 'answer' }, type: string): number {
  return answer.answers.filter((record) => record.type === type).length;
}
