import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { askServer, type Exchange, type Tries } from './ask.ts';
import { flagsOf } from './flags.ts';
import type { DnsAnswer, DnsAskOptions, DnsQuestion } from './port.ts';
import { findServers, type LookUp, type Server } from './servers.ts';
import { openUdpPool, type UdpPool } from './udp-pool.ts';

export type ResolverSettings = {
  /** "host-or-ip[:port]"; undefined takes the system's. */
  readonly servers: readonly string[] | undefined;
  /** Milliseconds of each try; each goes to the next resolver. */
  readonly resolverTries: Tries;
  readonly tcpTimeoutMs: number;
};

/** What a run brings to its questions. */
export type ResolverRun = Pick<Exchange, 'budget' | 'signal'> & {
  /** Called where questions with EDNS do not come through, so that one without was answered. */
  readonly onPlain?: () => void;
  /** Other tries than those of the settings. */
  readonly tries?: Tries;
};

/** The configured resolvers, asked as one. */
export type Resolvers = {
  ask(question: DnsQuestion, options: DnsAskOptions, run: ResolverRun): Promise<DnsAnswer>;
  close(): void;
};

/** Opens the sockets to the resolvers; their names are looked up at once, and again when none of them answers. */
export function openResolvers(settings: ResolverSettings, lookUp?: LookUp): Resolvers {
  const crew = openCrew(settings.servers, lookUp);
  return {
    async ask(question, options, run) {
      const all = await crew.all();
      if (all.length === 0) throw new Error('there is no resolver: set DNS_SERVERS');
      const asked = { ...run, options, settings };
      // A resolver that refuses serves others; each that was silent is asked again by the next try.
      let last: DnsAnswer | undefined;
      for (const [index] of all.entries()) {
        const turn = [...all.slice(index), ...all.slice(0, index)];
        last = await askInTurn(turn, question, asked);
        if (last.kind === 'failure' || last.rcode !== 'REFUSED') break;
      }
      if (!last) throw new Error('there is no resolver: set DNS_SERVERS');
      // In a cluster a resolver that is made anew has another address.
      if (last.kind === 'failure' && last.code !== 'invalid-name' && last.code !== 'budget-spent')
        crew.doubt();
      return last;
    },
    close: () => crew.close(),
  };
}

type Member = {
  readonly server: Server;
  readonly pool: UdpPool;
  /** Until then no question with EDNS is sent to it: they do not come through. By performance.now(). */
  plainUntil?: number;
};

/** Longer than any question takes with all its tries. */
const graceMs = 30_000;
/** Between two look-ups of the resolvers' names. */
const doubtEveryMs = 2000;

type ResolverSet = {
  /** Rejects only while no look-up has succeeded yet. */
  all(): Promise<readonly Member[]>;
  /** Looks the names up again, aside: who answers today goes on until it is known better. */
  doubt(): void;
  close(): void;
};

/** The resolvers by their addresses of today. */
function openCrew(configured: readonly string[] | undefined, lookUp: LookUp | undefined): ResolverSet {
  let today: readonly Member[] = [];
  let isClosed = false;
  const open = async (): Promise<readonly Member[]> => {
    const servers = await findServers(configured, lookUp);
    const before = today;
    today = servers.filter(isFirst).map((server) => before.find(isAt(server)) ?? openMember(server));
    // Questions may still be on their way to those that are gone.
    for (const { pool } of before.filter((member) => !today.includes(member)))
      setTimeout(() => pool.close(), graceMs).unref();
    if (isClosed) closeAll(today.filter((member) => !before.includes(member)));
    return today;
  };
  let looking: Promise<readonly Member[]> | undefined;
  let lookedAt = 0;
  const look = (): Promise<readonly Member[]> => {
    lookedAt = performance.now();
    looking ??= open().finally(() => {
      looking = undefined;
    });
    return looking;
  };
  look().catch(() => undefined); // said by the first question that needs them
  return {
    all: async () => (today.length > 0 ? today : look()),
    doubt() {
      if (performance.now() - lookedAt >= doubtEveryMs) look().catch(() => undefined); // today's go on
    },
    close() {
      isClosed = true;
      closeAll(today);
    },
  };
}

function openMember(server: Server): Member {
  return { server, pool: openUdpPool(server.address, server.port) };
}

function closeAll(members: readonly Member[]): void {
  for (const { pool } of members) pool.close();
}

function isAt({ address, port }: Server): (member: Member) => boolean {
  return ({ server }) => server.address === address && server.port === port;
}

function isFirst({ address, port }: Server, index: number, all: readonly Server[]): boolean {
  return all.findIndex((other) => other.address === address && other.port === port) === index;
}

type ResolverAsk = ResolverRun & {
  readonly options: DnsAskOptions;
  readonly settings: ResolverSettings;
};

type Wish = Partial<Pick<Exchange, 'flags' | 'question' | 'tries'>>;

/** A question to the resolvers, one after the other, as a silent one is more often down than slow; whichever answers first is taken. */
function openTurn(
  members: readonly Member[],
  question: DnsQuestion,
  { options, settings, budget, signal, tries = settings.resolverTries }: ResolverAsk,
) {
  const { tcpTimeoutMs } = settings;
  const flags = { ...flagsOf(options), recursionDesired: options.recursionDesired ?? true };
  const ask = async (wish: Wish = {}) => {
    let sent = 0;
    let answering = members[0] as Member;
    const answer = await askServer({
      question,
      flags,
      tries,
      tcpTimeoutMs,
      transport: options.transport ?? 'udp',
      budget,
      signal,
      // As it stands when the answer has come.
      get server() {
        return answering.server;
      },
      openTcp: () => connectTo(answering.server, connectMs, signal),
      async udp(query, accepts, timeoutMs, ending) {
        const member = members[sent++ % members.length] as Member;
        const outcome = await member.pool.exchange(query, accepts, timeoutMs, ending);
        if (outcome.kind === 'received') answering = member;
        return outcome;
      },
      ...wish,
    });
    return { answer, answering };
  };
  return { ask, flags, plain: { ...flags, edns: false, dnssecOk: false } };
}

async function askInTurn(
  members: readonly Member[],
  question: DnsQuestion,
  run: ResolverAsk,
): Promise<DnsAnswer> {
  const { ask, flags, plain } = openTurn(members, question, run);
  if (!flags.edns) return (await ask()).answer;
  if (members[0] && isPlain(members[0])) {
    run.onPlain?.();
    return (await ask({ flags: plain })).answer;
  }
  // An old forwarder that does not know EDNS says so (RFC 6891 §7), however late.
  const usual = ask().then((it) => (isRefusedForEdns(it.answer) ? ask({ flags: plain }) : it));
  const early = await Promise.race([usual, delay(silentMs, undefined, { ref: false })]);
  return early ? early.answer : askBeside(usual, ask, { ...run, plain });
}

type Answered = { readonly answer: DnsAnswer; readonly answering: Member };

/**
 * Some networks drop every question with EDNS: a silent one is asked once more as before 1999. That answer has no signatures, so it counts only
 * where none with EDNS comes through at all, which is remembered; a resolver that is slow is waited for.
 */
async function askBeside(
  usual: Promise<Answered>,
  ask: (wish: Wish) => Promise<Answered>,
  { plain, onPlain }: { readonly plain: Exchange['flags'] } & Pick<ResolverRun, 'onPlain'>,
): Promise<DnsAnswer> {
  const isAnswered = ({ answer }: Answered) => answer.kind === 'answer';
  const without = await Promise.race([usual.then(() => undefined), ask({ flags: plain, tries: [plainMs] })]);
  if (!without || !isAnswered(without)) return (await usual).answer;
  const control = ask({ question: { name: '', type: 'NS' }, tries: controlTries }).then(isAnswered);
  const passes = await Promise.race([control, usual.then((it) => isAnswered(it) || control)]);
  if (passes) return (await usual).answer;
  without.answering.plainUntil = performance.now() + plainForMs;
  onPlain?.();
  return without.answer;
}

/** A resolver is near: after one that was lost the second try still comes within this time. */
const connectMs = 1800;
/** After so long without an answer a question is asked without EDNS too. */
const silentMs = 1000;

function isPlain({ plainUntil = 0 }: Member): boolean {
  return plainUntil > performance.now();
}

function isRefusedForEdns(answer: DnsAnswer): boolean {
  if (answer.kind === 'failure' || answer.edns !== null) return false;
  return answer.rcode === 'FORMERR' || answer.rcode === 'NOTIMP';
}

/** How long a question without EDNS waits, and how long none with it is sent where only those are answered. */
const plainMs = 1500;
const plainForMs = 3_600_000;
const controlTries = [500, 800, 1200];

function connectTo({ address, port }: Server, timeoutMs: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, signal });
    const timer = setTimeout(
      () =>
        socket.destroy(
          Object.assign(new Error('the resolver does not answer over TCP'), { code: 'ETIMEDOUT' }),
        ),
      timeoutMs,
    );
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', reject);
      resolve(socket);
    });
    socket.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}
