import { connect, type Socket } from 'node:net';
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
export type ResolverRun = Pick<Exchange, 'budget' | 'signal'>;

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
      let last: DnsAnswer | undefined;
      // Each try goes to the next resolver, as a silent one is more often down than slow.
      for (const [index, timeoutMs] of settings.resolverTries.entries()) {
        const chosen = all[index % all.length];
        if (!chosen) throw new Error('there is no resolver: set DNS_SERVERS');
        last = await askResolver(chosen, question, {
          ...run,
          options,
          timeoutMs,
          tcpTimeoutMs: settings.tcpTimeoutMs,
        });
        if (last.kind === 'answer' && !(last.rcode === 'REFUSED' && all.length > 1)) return last;
        if (last.kind === 'failure' && (last.code === 'invalid-name' || last.code === 'budget-spent'))
          return last;
      }
      if (!last) throw new Error('resolverTries is empty');
      // In a cluster a resolver that is made anew has another address.
      if (last.kind === 'failure') crew.doubt();
      return last;
    },
    close: () => crew.close(),
  };
}

type Member = { readonly server: Server; readonly pool: UdpPool };

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
  readonly timeoutMs: number;
  readonly tcpTimeoutMs: number;
};

async function askResolver(
  { server, pool }: { server: Server; pool: UdpPool },
  question: DnsQuestion,
  ask: ResolverAsk,
): Promise<DnsAnswer> {
  const flags = { ...flagsOf(ask.options), recursionDesired: ask.options.recursionDesired ?? true };
  const exchange = {
    question,
    server,
    tries: [ask.timeoutMs],
    tcpTimeoutMs: ask.tcpTimeoutMs,
    transport: ask.options.transport ?? 'udp',
    udp: pool.exchange,
    openTcp: () => connectTo(server, ask.tcpTimeoutMs, ask.signal),
    budget: ask.budget,
    signal: ask.signal,
  } as const;
  const answer = await askServer({ ...exchange, flags });
  // An old forwarder that does not know EDNS says so; it is asked again as before 1999 (RFC 6891 §7).
  const isOld =
    answer.kind === 'answer' &&
    (answer.rcode === 'FORMERR' || answer.rcode === 'NOTIMP') &&
    answer.edns === null &&
    flags.edns;
  return isOld ? askServer({ ...exchange, flags: { ...flags, edns: false, dnssecOk: false } }) : answer;
}

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
