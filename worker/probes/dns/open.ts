import { LRUCache } from 'lru-cache';
import { classifyAddress } from '#shared/targets/classify-address';
import { describeSpent, type SpentBudget } from '../budget.ts';
import type { WayOut } from '../from-here.ts';
import { noTransfer, openDeniedServers } from './denied-servers.ts';
import { openQuestionsFromHere } from './from-here.ts';
import { askNameserver, type NameserverRun, type NameserverSettings } from './nameserver.ts';
import type { DnsAnswer, DnsAskOptions, DnsProbe, DnsQuestion, OriginZones } from './port.ts';
import { questionKey } from './question-key.ts';
import { isSaid } from './read-reply.ts';
import { openResolvers, type Resolvers, type ResolverSettings } from './resolvers.ts';
import { askTransfer } from './transfer.ts';

export type DnsSettings = ResolverSettings &
  NameserverSettings & {
    /** Longest that an answer is kept for other runs; its TTL may say less. */
    readonly cacheForS: number;
    readonly originZones?: OriginZones | undefined;
  };

/** Three tries before a server counts as silent, as dig does; TTLs of other runs are at most half a minute old. */
export const dnsLimits = {
  resolverTries: [1000, 1500, 2000],
  nameserverTries: [1000, 1500, 2000],
  tcpTimeoutMs: 3000,
  cacheForS: 30,
} as const;

/** What the runs of a worker share: sockets to the resolvers, and answers as long as their TTL lasts. */
export type DnsClient = {
  /** The probe of one run. Its `dial` is for TCP to name servers of the target. */
  openProbe(run: ProbeRun): DnsProbe;
  /** The resolvers themselves, for what is asked of them for no target. */
  readonly resolvers: Pick<Resolvers, 'ask'>;
  close(): void;
};

type AnswerCache = LRUCache<string, { readonly answer: DnsAnswer; readonly isPlain: boolean }>;
type ProbeRun = Pick<NameserverRun, 'dial' | 'budget' | 'signal'> & WayOut;

/** Asks the resolvers what no run has asked within its TTL. */
function openCachedQuestions(settings: DnsSettings, resolvers: Resolvers) {
  const cache: AnswerCache = new LRUCache({ max: 10_000 });
  return async (
    question: DnsQuestion,
    options: DnsAskOptions,
    { budget, signal, vantage }: ProbeRun,
  ): Promise<DnsAnswer> => {
    const key = questionKey(question, options);
    const found = cache.get(key);
    if (found) {
      budget.hear(found.answer);
      if (found.isPlain) vantage.meet('edns/4');
      return found.answer;
    }
    const spent = await budget.charge('foreign questions', question.name, signal);
    if (spent) return refuse(question, spent);
    let isPlain = false;
    const onPlain = () => {
      isPlain = true;
      vantage.meet('edns/4');
      for (const way of ['edns/4', 'edns/6'] as const) vantage.suspect(way);
    };
    const answer = await resolvers.ask(question, options, { budget, signal, onPlain });
    budget.hear(answer);
    const ttlS = Math.min(settings.cacheForS, ttlOf(answer));
    if (ttlS > 0) cache.set(key, { answer, isPlain }, { ttl: ttlS * 1000 });
    return answer;
  };
}

/** Opens the client. */
export function openDnsClient(settings: DnsSettings): DnsClient {
  const resolvers = openResolvers(settings);
  const askCached = openCachedQuestions(settings, resolvers);
  return {
    openProbe(run) {
      const asked = new Map<string, Promise<DnsAnswer>>();
      const denied = openDeniedServers(settings.policy.denied);
      const fromHere = openQuestionsFromHere(
        {
          resolver: (question, options) =>
            denied.ask({ question, server: undefined }, () => askCached(question, options, run)),
          server: (server, question, options) =>
            denied.ask({ question, server }, () =>
              askNameserver(server, question, options, { settings, ...run }),
            ),
        },
        run,
        (address) => classifyAddress(address, settings.policy.addresses).kind === 'refused',
      );
      const transferring = { port: settings.nameserverPort, timeoutMs: settings.tcpTimeoutMs };
      return {
        originZones: settings.originZones,
        transfer: async (zone, server) =>
          denied.has(server) ? noTransfer : askTransfer(zone, server, { ...run, ...transferring }),
        ask(question, options = {}) {
          const key = questionKey(question, options);
          const known = asked.get(key);
          if (known) return known;
          const { server } = options;
          const answer =
            server === undefined
              ? fromHere.resolver(question, options)
              : fromHere.server(server, question, options);
          asked.set(key, answer);
          return answer;
        },
      };
    },
    resolvers,
    close: () => resolvers.close(),
  };
}

function refuse(question: DnsQuestion, spent: SpentBudget): DnsAnswer {
  return { kind: 'failure', question, code: 'budget-spent', reason: describeSpent(spent), server: '' };
}

// RFC 2308 §5: a negative answer lives as long as the smaller of the SOA's TTL and its minimum field says.
function ttlOf(answer: DnsAnswer): number {
  if (answer.kind === 'failure' || !isSaid(answer.rcode)) return 0;
  if (answer.answers.length > 0) return Math.min(...answer.answers.map(({ ttl }) => ttl));
  const soa = answer.authority.find(({ type }) => type === 'SOA');
  const minimum =
    soa && typeof soa.data === 'object' && soa.data !== null && 'minimum' in soa.data
      ? Number(soa.data['minimum'])
      : 0;
  return soa ? Math.min(soa.ttl, minimum) : 0;
}
