import { setTimeout as wait } from 'node:timers/promises';
import type {
  DnsAnswer,
  DnsAskOptions,
  DnsProbe,
  DnsQuestion,
  DnsRecord,
  DnsTransfer,
  OriginZones,
} from '../../../worker/probes/dns/port.ts';
import { dnsReply } from '../../kit/dns-reply.ts';
import { denialOf } from './deny.ts';

type Answered = Extract<DnsAnswer, { kind: 'answer' }>;
type Failed = Extract<DnsAnswer, { kind: 'failure' }>;

/** How a name server behaves; without a word it serves its zones well. */
export type ServerManner = {
  readonly zones: readonly string[];
  /** Other records than the zone's, for servers that are behind or astray. */
  readonly own?: readonly DnsRecord[];
  readonly failure?: Pick<Failed, 'code' | 'reason'>;
  readonly rcode?: string;
  readonly authoritative?: boolean;
  readonly tcp?: boolean;
  /** `drops`: answers nothing that carries EDNS; `ignores`: answers without it. */
  readonly edns?: 'drops' | 'ignores' | 'rejects';
  readonly recursion?: boolean;
  /** What it says of any name that is not its own. */
  readonly refersTo?: string;
  /** False: it leaves out the proofs that something is not there. */
  readonly proves?: boolean;
  /** What it answers to EDNS of version 1; BADVERS when left out, "silence" none. */
  readonly nextEdns?: string;
  /** What it answers to an unknown EDNS option, which it ignores when this is left out; "silence" none. */
  readonly unknownOption?: string;
  /** False: it writes the question in lower case; a response code: it answers that to a name in mixed case. */
  readonly keepsCase?: false | string;
  /** A type of record that its copy of the zone lacks. */
  readonly lacks?: string;
  /** A type of record for which it answers REFUSED. */
  readonly refuses?: string;
  /** A type of record for which it answers SERVFAIL. */
  readonly failsFor?: string;
  /** A type of record for which it answers NXDOMAIN, or nothing. */
  readonly deniesName?: string;
  readonly ignoresType?: string;
  /** What it answers to the question for a transfer; refused when left out. */
  readonly transfer?: DnsTransfer;
};

export type World = {
  /** Zones that tell the origin of addresses, where the operator has named some. */
  readonly originZones?: OriginZones | undefined;
  /** The operator has switched zone transfers on. */
  readonly transfers?: boolean | undefined;
  readonly zones: ReadonlyMap<string, readonly DnsRecord[]>;
  readonly servers: ReadonlyMap<string, ServerManner>;
  readonly resolver: {
    readonly validates: boolean;
    /** Names at or below which a validating resolver finds nothing but forgery. */
    readonly bogus?: string;
    /** A name at and below which it answers SERVFAIL without a reason, but with checking disabled. */
    readonly failsBare?: string;
    /** A name whose first answers fail: those with DNSSEC and checking. */
    readonly failsOnce?: string;
    /** Names below this one are not answered. */
    readonly failsBelow?: string;
    /** Types whose answers come without EDNS, and so without signatures. */
    readonly strips?: readonly string[];
    /** "TYPE name" → what it answers instead. */
    readonly instead?: ReadonlyMap<string, Partial<Answered> | Failed>;
  };
  /** Milliseconds of a round trip; an answer by TCP takes two. */
  readonly rttMs?: number;
  /** True where keys and proofs do not fit into a packet: they come by TCP, one round trip later than asked for by it. */
  readonly truncates?: boolean | undefined;
};

/** A probe that answers from the world's zones, and counts. */
export function openWorld(world: World): { probe: DnsProbe; asked: () => number } {
  const asked = new Map<string, Promise<DnsAnswer>>();
  const probe: DnsProbe = {
    originZones: world.originZones,
    ...(world.transfers ? { transfer: async (_, server) => transferOf(world, server) } : {}),
    async ask(question, options = {}) {
      const key = JSON.stringify([question.name, question.type, options]);
      const known = asked.get(key);
      if (known) return known;
      const answer = answerLater(world, question, options);
      asked.set(key, answer);
      return answer;
    },
  };
  return { probe, asked: () => asked.size };
}

function transferOf({ servers }: World, server: string): DnsTransfer {
  return servers.get(server)?.transfer ?? { kind: 'refused', rcode: 'REFUSED' };
}

async function answerLater(world: World, question: DnsQuestion, options: DnsAskOptions): Promise<DnsAnswer> {
  if (world.rttMs !== undefined) await wait(world.rttMs * tripsOf(world, question, options));
  return options.server === undefined
    ? askResolver(world, question, options)
    : askServer(world, question, { ...options, server: options.server });
}

function tripsOf({ truncates }: World, { type }: DnsQuestion, options: DnsAskOptions): number {
  if (options.transport === 'tcp') return 2;
  return truncates && options.server !== undefined && options.dnssecOk && type !== 'SOA' ? 3 : 1;
}

function askResolver(world: World, question: DnsQuestion, options: DnsAskOptions): DnsAnswer {
  const { validates, instead } = world.resolver;
  const other = instead?.get(`${question.type} ${question.name}`);
  if (other && 'kind' in other && other.kind === 'failure') return { ...other, question };
  const ede = refusalOf(world.resolver, question.name, options);
  if (ede) return { ...blank(question), rcode: 'SERVFAIL', ede };
  const { chain, holder, ...end } = resolve(world, question);
  const isBogus = isAtOrBelow(question.name, world.resolver.bogus ?? 'nothing.bogus');
  const isStripped = world.resolver.strips?.includes(question.type) === true;
  const asked = isStripped ? { ...options, dnssecOk: false } : options;
  const ad = !isStripped && validates && !isBogus && isSignedZone(world, question.name === '' ? '' : holder);
  return {
    ...blank(question),
    ...end,
    edns: isStripped ? null : { version: 0, udpSize: 1232, dnssecOk: options.dnssecOk ?? false },
    answers: withoutSignatures(chain, asked),
    flags: { aa: false, tc: false, ra: true, ad },
    ...(other as Partial<Answered> | undefined),
  };
}

function refusalOf(
  { validates, bogus, failsBare, failsBelow, failsOnce }: World['resolver'],
  name: string,
  { checkingDisabled = false, dnssecOk = false }: DnsAskOptions,
): Answered['ede'] | undefined {
  if (name === failsOnce && dnssecOk && !checkingDisabled) return [];
  if (failsBare !== undefined && !checkingDisabled && isAtOrBelow(name, failsBare)) return [];
  if (failsBelow !== undefined && name.endsWith(`.${failsBelow}`)) return [];
  const isRefused = bogus !== undefined && validates && !checkingDisabled && isAtOrBelow(name, bogus);
  return isRefused ? [{ code: 6, text: '' }] : undefined;
}

// The root counts as signed: that is where a resolver shows that it validates.
function isSignedZone({ zones }: World, zone: string): boolean {
  return zone === '' || (zones.get(zone) ?? []).some(({ type }) => type === 'RRSIG');
}

// Follows aliases from zone to zone, and gives up as resolvers do.
function resolve(
  { zones }: World,
  question: DnsQuestion,
): Pick<Step, 'rcode' | 'authority'> & { chain: readonly DnsRecord[]; holder: string } {
  const chain: DnsRecord[] = [];
  let { name } = question;
  let holder = '';
  for (let hops = 0; hops < 12; hops += 1) {
    holder = zoneOf([...zones.keys()], name, question.type) ?? '';
    const { rcode, authority, answers } = lookUp(holder, zones.get(holder) ?? [], { ...question, name });
    chain.push(...answers);
    const alias = answers.find(({ type }) => type === 'CNAME');
    if (!alias || typeof alias.data !== 'string') return { chain, holder, rcode, authority };
    name = alias.data;
  }
  return { chain, holder, rcode: 'SERVFAIL', authority: [] };
}

type ServerOptions = DnsAskOptions & { readonly server: string };

function askServer(world: World, question: DnsQuestion, options: ServerOptions): DnsAnswer {
  const { server } = options;
  const manner = world.servers.get(server);
  const failure = manner === undefined ? silence : failureOf(manner, options);
  if (manner === undefined || failure) return fail(question, failure ?? silence, server);
  const hasEdns = options.edns !== false;
  const plain = { ...blank(question), server, transport: options.transport ?? ('udp' as const) };
  const edns =
    hasEdns && manner.edns === undefined
      ? { version: 0, udpSize: 1232, dnssecOk: options.dnssecOk ?? false }
      : null;
  const rcode = hasEdns && manner.edns === 'rejects' ? 'FORMERR' : manner.rcode;
  if (rcode !== undefined) return { ...plain, edns, rcode };
  if (manner.refuses === question.type) return { ...plain, edns, rcode: 'REFUSED' };
  if (manner.failsFor === question.type) return { ...plain, edns, rcode: 'SERVFAIL' };
  if (manner.deniesName === question.type) return { ...plain, edns, rcode: 'NXDOMAIN' };
  if (manner.ignoresType === question.type) return fail(question, silence, server);
  const odd = oddAnswer(manner, options);
  if (odd === 'silence') return fail(question, silence, server);
  const answer = { ...plain, edns, ...zoneAnswer(world, manner, question, options) };
  const echo = options.mixedCase === true ? { keepsCase: manner.keepsCase !== false } : {};
  return odd === undefined || odd === 'NOERROR'
    ? { ...answer, ...echo }
    : { ...plain, edns, ...echo, rcode: odd };
}

// What a server does with what few ask: a response code of its own, "silence", or undefined where it answers as ever.
function oddAnswer(manner: ServerManner, options: ServerOptions): string | undefined {
  if (options.ednsVersion === 1) return manner.nextEdns ?? 'BADVERS';
  if (options.unknownOption === true) return manner.unknownOption;
  return options.mixedCase === true && typeof manner.keepsCase === 'string' ? manner.keepsCase : undefined;
}

function zoneAnswer(
  world: World,
  manner: ServerManner,
  question: DnsQuestion,
  options: DnsAskOptions,
): Partial<Answered> {
  const zone = zoneOf(manner.zones, question.name, '');
  if (zone === undefined) return strangersAnswer(manner, question);
  const records = manner.own ?? world.zones.get(zone) ?? [];
  const own = manner.lacks === undefined ? records : records.filter(({ type }) => type !== manner.lacks);
  const proven = manner.proves === false ? own.filter(({ type }) => !type.startsWith('NSEC')) : own;
  const step = lookUp(zone, proven, question, options.dnssecOk);
  const aa = step.flags.aa && manner.authoritative !== false;
  return { ...step, answers: withoutSignatures(step.answers, options), flags: { ...step.flags, aa } };
}

type Failure = Pick<Failed, 'code' | 'reason'>;
const silence: Failure = { code: 'timeout', reason: 'no answer within 3 tries' };

function failureOf({ failure, tcp, edns }: ServerManner, options: ServerOptions): Failure | undefined {
  if (failure) return failure;
  if (options.transport === 'tcp' && tcp === false)
    return { code: 'tcp-failed', reason: 'the connection was refused' };
  return options.edns !== false && edns === 'drops' ? silence : undefined;
}

function strangersAnswer(manner: ServerManner, question: DnsQuestion): Partial<Answered> {
  if (manner.recursion)
    return {
      flags: { aa: false, tc: false, ra: true, ad: false },
      answers: [{ name: question.name, type: 'A', ttl: 60, data: '198.51.100.77' }],
    };
  if (manner.refersTo !== undefined)
    return { authority: [{ name: manner.refersTo, type: 'NS', ttl: 60, data: 'a.root-servers.net' }] };
  return { rcode: 'REFUSED' };
}

type Step = Pick<Answered, 'rcode' | 'answers' | 'authority' | 'additional' | 'flags'>;

function lookUp(
  zone: string,
  records: readonly DnsRecord[],
  { name, type }: DnsQuestion,
  dnssecOk = false,
): Step {
  const flags = { aa: true, tc: false, ra: false, ad: false };
  const none = { rcode: 'NOERROR', answers: [], authority: [], additional: [], flags };
  const cut = records.find(
    (record) =>
      record.type === 'NS' &&
      record.name !== zone &&
      isAtOrBelow(name, record.name) &&
      !(type === 'DS' && name === record.name),
  );
  if (cut) {
    const authority = records.filter(
      (record) => record.name === cut.name && (record.type === 'NS' || (dnssecOk && record.type === 'DS')),
    );
    const targets = new Set(authority.map(({ data }) => data));
    const additional = records.filter(
      (record) => targets.has(record.name) && (record.type === 'A' || record.type === 'AAAA'),
    );
    return { ...none, flags: { ...flags, aa: false }, authority, additional };
  }
  const proof = dnssecOk ? denialOf(zone, records, name) : [];
  const denial = [...records.filter((record) => record.type === 'SOA'), ...proof];
  const here = atName(records, name, zone);
  if (here.length === 0) {
    const isParent = records.some((record) => isAtOrBelow(record.name, name));
    return { ...none, rcode: isParent ? 'NOERROR' : 'NXDOMAIN', authority: denial };
  }
  // What a wildcard answers comes with the proof that the name itself is not there.
  const authority = records.some((record) => record.name === name) ? [] : proof;
  const wanted = here.filter((record) => record.type === type || covers(record, type));
  if (wanted.some((record) => record.type === type)) return { ...none, answers: wanted, authority };
  const alias = here.filter((record) => record.type === 'CNAME' || covers(record, 'CNAME'));
  if (alias.length === 0) return { ...none, authority: denial };
  return { ...none, answers: alias, authority };
}

function atName(records: readonly DnsRecord[], name: string, zone: string): readonly DnsRecord[] {
  const own = records.filter((record) => record.name === name);
  if (own.length > 0 || records.some((record) => isAtOrBelow(record.name, name))) return own;
  const wild = records.filter((record) => record.name === `*.${zone}`);
  return wild.map((record) => ({ ...record, name }));
}

function covers({ type, data }: DnsRecord, covered: string): boolean {
  return type === 'RRSIG' && (data as { typeCovered?: string }).typeCovered === covered;
}

function withoutSignatures(records: readonly DnsRecord[], { dnssecOk = false }: DnsAskOptions): DnsRecord[] {
  return records
    .filter(({ type }) => dnssecOk || type !== 'RRSIG')
    .map(({ rdata, ...record }) => (dnssecOk && rdata !== undefined ? { ...record, rdata } : record));
}

function zoneOf(zones: readonly string[], name: string, type: string): string | undefined {
  return zones
    .filter((zone) => isAtOrBelow(name, zone) && !(type === 'DS' && zone === name && zone !== ''))
    .toSorted((a, b) => b.length - a.length)[0];
}

function isAtOrBelow(name: string, zone: string): boolean {
  return zone === '' || name === zone || name.endsWith(`.${zone}`);
}

function blank(question: DnsQuestion): Answered {
  return dnsReply(question, {
    flags: { aa: false, tc: false, ra: false, ad: false },
    edns: { version: 0, udpSize: 1232, dnssecOk: false },
    server: '127.0.0.53',
  });
}

function fail(question: DnsQuestion, failure: Failure, server: string): Failed {
  return { kind: 'failure', question, ...failure, server };
}
