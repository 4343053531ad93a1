import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { parseRedisUrl, type RedisNode, type RedisPlace } from '../settings/redis-url.ts';
import type { Logger } from '../telemetry/logger.ts';
import { sayConnectionFault } from './say-connection-fault.ts';

/** Prefix of every Redis key and channel of this service; BullMQ's own keys are below `diag:bull`. */
export const keyPrefix = 'diag';

/** How long the API waits for the queue before it says 503; with the limiter before it, within a second. */
export const redisTimeoutMs = 700;
const aloneTimeoutMs = 250;
/**
 * A connection without a word for so long is replaced. Longer than a command is waited for: the socket's timer also rings where this process was
 * too busy to read what has arrived, and a good connection would be lost with all that waits on it.
 */
const silenceMs = 2500;

/** For the API: fails at once. What is asked within `withinTime` ends there; the rest needs `impatientAlone`. */
export const impatient: RedisOptions = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  connectTimeout: redisTimeoutMs,
  socketTimeout: silenceMs,
  retryStrategy: (attempt) => Math.min(attempt * 100, 1000),
};

/** For commands without a `withinTime` around them: a frozen server keeps its connection `ready`, so each has its own end. */
export const impatientAlone: RedisOptions = {
  ...impatient,
  commandTimeout: aloneTimeoutMs,
  // What was given up must not be done later, when Redis is back.
  autoResendUnfulfilledCommands: false,
};

/** For the command line: a command ends within seconds, also where Redis hangs, and is not tried again. */
export const onceOnly: RedisOptions = {
  connectTimeout: 2000,
  commandTimeout: 5000,
  maxRetriesPerRequest: 0,
  retryStrategy: () => null,
};

/**
 * Longer than a worker's command blocks (BullMQ: 10 s at most), which answers then with nothing. Where no answer comes, the connection is
 * gone without a word, as behind a firewall that has forgotten it, and a new one is made.
 */
const patientSilenceMs = 12_000;

/** For a worker: waits until Redis is back, as what it has to say must be said. */
export const patient: RedisOptions = {
  maxRetriesPerRequest: null,
  socketTimeout: patientSilenceMs,
  retryStrategy: (attempt) => Math.min(attempt * 100, 1000),
};

/** One Redis, or a cluster: both take the same commands, and a script of either has its keys in one slot. */
export type AnyRedis = Redis | Cluster;

/** True for a cluster: its keys live on several masters, each of which may be away alone. */
export function isCluster(redis: AnyRedis): redis is Cluster {
  return redis.isCluster;
}

/** Opens a connection; its errors are logged when they change, not at each try. */
export function openRedis(url: string, options: RedisOptions, log: Logger): AnyRedis {
  const place = placeOf(url);
  return place.kind === 'cluster' ? openCluster(place, options, log) : openOne(place, options, log);
}

function openOne({ kind, nodes, access, watched }: RedisPlace, options: RedisOptions, log: Logger): Redis {
  const where =
    kind === 'sentinel'
      ? {
          sentinels: nodes.map((node) => ({ ...node })),
          ...watched,
          enableTLSForSentinelMode: access.tls !== undefined,
          ...(access.tls === undefined ? {} : { sentinelTLS: access.tls }),
          // A master that was demoted keeps its connections: it is left, and the sentinels are asked again.
          reconnectOnError: (error: Error) => (error.message.startsWith('READONLY') ? (2 as const) : false),
        }
      : nodes[0];
  const redis = new Redis({ ...where, ...access, ...options, replyMapping: 'legacy' });
  tellOutages(redis, log);
  return redis;
}

/** What a cluster's command meets on a master that is away is tried again: by the API for as long as it waits, by a worker without an end. */
const clusterRetries = {
  impatient: { maxRedirections: 8, everyMs: 40 },
  patient: { maxRedirections: 1_000_000, everyMs: 200 },
} as const;
const slotsRefreshMs = 2000;

function openCluster({ nodes, access }: RedisPlace, options: RedisOptions, log: Logger): Cluster {
  const { enableOfflineQueue = true, retryStrategy, lazyConnect = false, ...others } = options;
  const { maxRedirections, everyMs } =
    clusterRetries[options.maxRetriesPerRequest === null ? 'patient' : 'impatient'];
  const cluster = new Cluster(
    nodes.map((node) => ({ ...node })),
    {
      enableOfflineQueue,
      lazyConnect,
      clusterRetryStrategy: (attempt) => retryStrategy?.(attempt) ?? null,
      maxRedirections,
      retryDelayOnFailover: everyMs,
      retryDelayOnClusterDown: everyMs,
      retryDelayOnTryAgain: everyMs,
      slotsRefreshInterval: slotsRefreshMs,
      // A certificate names hosts: a name must reach TLS as it is.
      ...(access.tls === undefined
        ? {}
        : {
            dnsLookup: (name: string, callback: (error: null, address: string) => void) =>
              callback(null, name),
          }),
      redisOptions: { ...access, ...others, replyMapping: 'legacy' },
    },
  );
  tellOutages(cluster, log);
  return cluster;
}

/** A connection that only hears would never find out that it is gone: it asks for an answer so often, and waits for it no longer. */
const pingEveryMs = 5000;

/**
 * Opens a connection that hears messages, and pings so that its silence means something. In a cluster it is to one node, as every node
 * passes all messages on; when that one goes away it is to the next.
 */
export function openHearing(url: string, options: RedisOptions, log: Logger): Redis {
  const place = placeOf(url);
  const hearing = { ...options, socketTimeout: pingEveryMs };
  return withPings(
    place.kind === 'cluster' ? openHearingOfCluster(place, hearing, log) : openOne(place, hearing, log),
  );
}

function withPings(redis: Redis): Redis {
  const timer = setInterval(() => {
    if (redis.status === 'ready') redis.ping().catch(() => undefined); // the connection itself says that it is away
  }, pingEveryMs).unref();
  redis.on('end', () => clearInterval(timer));
  return redis;
}

function openHearingOfCluster(place: RedisPlace, options: RedisOptions, log: Logger): Redis {
  let nodes: readonly RedisNode[] = place.nodes;
  let at = 0;
  const turnToNext: RedisOptions['retryStrategy'] = (attempt) => {
    at += 1;
    Object.assign(redis.options, nodes[at % nodes.length]);
    return Math.min(attempt * 50, 1000);
  };
  const redis: Redis = openOne({ ...place, kind: 'single' }, { ...options, retryStrategy: turnToNext }, log);
  redis.on('ready', () => {
    redis.cluster('SLOTS').then(
      (slots) => {
        nodes = [...place.nodes, ...nodesIn(slots)];
      },
      () => undefined, // the nodes of the setting are enough to go on
    );
  });
  return redis;
}

// Each range of slots: its first and last, then its master and replicas as [host, port, …].
function nodesIn(slots: unknown): RedisNode[] {
  if (!Array.isArray(slots)) return [];
  return (slots as unknown[][]).flatMap(([, , ...nodes]) =>
    nodes.flatMap((node) => {
      const [host, port] = Array.isArray(node) ? (node as unknown[]) : [];
      return typeof host === 'string' && host !== '' ? [{ host, port: Number(port) }] : [];
    }),
  );
}

function placeOf(url: string): RedisPlace {
  const place = parseRedisUrl(url);
  if (!place) throw new TypeError('not an address of Redis');
  return place;
}

function tellOutages(redis: AnyRedis, log: Logger): void {
  let last = '';
  redis.on('error', (error: Error & { code?: string }) => {
    const code = error.code ?? error.message;
    if (code !== last) log.warn({ code }, 'redis is away');
    last = code;
  });
  redis.on('ready', () => {
    if (last !== '') log.info({}, 'redis is back');
    last = '';
  });
  if (isCluster(redis)) tellLostNodes(redis, log);
}

/** A node that is away is tried with each command for it, and is told of so often. */
const tellNodeEveryMs = 60_000;

function tellLostNodes(cluster: Cluster, log: Logger): void {
  const told = new Map<string, number>();
  cluster.on('node error', (error: Error & { code?: string }, node: string) => {
    const now = performance.now();
    if (now - (told.get(node) ?? -Infinity) < tellNodeEveryMs) return;
    told.set(node, now);
    log.warn({ code: error.code ?? error.message, node }, 'a node of the redis cluster is away');
  });
}

/** True when Redis could not be reached, or answered that it does no work now: neither the command nor this service is at fault, and a later try may succeed. */
export function isRedisAway(error: unknown): boolean {
  return isConnectionError(error) || refusalOf(error) !== undefined;
}

/**
 * The words with which Redis refuses a command that is in order: no memory left, no disk to write to, a replica that may not write,
 * data that is still being read, a script cache that was emptied, a slow script, a cluster without all its parts, a user without the
 * right or the password.
 */
const refusals =
  /(?:^|\s-)(OOM|MISCONF|READONLY|LOADING|NOSCRIPT|BUSY|MASTERDOWN|NOREPLICAS|CLUSTERDOWN|TRYAGAIN|NOPERM|NOAUTH|WRONGPASS)\s/;

/** What the words mean that somebody must do something about. */
const meanings: { readonly [word: string]: string } = {
  OOM: 'it is full: it has reached its maxmemory',
  MISCONF: 'it cannot write to its disk',
  READONLY: 'it is a replica that takes no writes',
  LOADING: 'it is still reading its data',
  NOAUTH: 'it wants a password, and the URL has none',
  WRONGPASS: 'it refuses the user or the password',
};

/** Says in a few words what is wrong with a Redis, or the way to it, from the error of a command or connection. */
export function sayRedisFault(error: unknown): string {
  const word = refusalOf(error);
  const message = error instanceof Error ? error.message : '';
  if (word === 'NOPERM') return `its user lacks a right (${message}): see the rights in docs/operating.md`;
  if (/DB index/i.test(message)) return `it has no database of that number (${message})`;
  if (word === undefined) return sayConnectionFault(error);
  return meanings[word] ?? `it refuses work: ${word}`;
}

/** The word with which Redis refused to work, such as "OOM"; undefined for every other error. */
export function refusalOf(error: unknown): string | undefined {
  // Redis 7 begins its message with the word; Redis 6 quotes it after "-" when a script met it.
  return error instanceof Error ? refusals.exec(error.message)?.[1] : undefined;
}

// ioredis has no common class for these; by name and message they are told from errors of a script or a command.
function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'MaxRetriesPerRequestError' || error.name === 'AbortError') return true;
  return /Connection is closed|Command timed out|Socket timeout|Stream isn't writeable|ECONN|ETIMEDOUT|EPIPE|Cluster redirections|slots cache|startup nodes|Cluster is|Cluster isn't/.test(
    `${error.message} ${(error as NodeJS.ErrnoException).code ?? ''}`,
  );
}
