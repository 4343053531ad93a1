import { Redis, type RedisOptions } from 'ioredis';
import { noCluster, parseRedisUrl, type RedisPlace } from '../settings/redis-url.ts';
import type { Logger } from '../telemetry/logger.ts';
import { sayConnectionFault } from './say-connection-fault.ts';

/** Prefix of every Redis key and channel of this service; BullMQ's own keys are below `diag:ready`. */
export const keyPrefix = 'diag';

/** How long the API waits for the queue before it says 503; with the limiter before it, within a second. */
export const redisTimeoutMs = 700;
const aloneTimeoutMs = 250;
/**
 * A connection without a word for so long is replaced. Longer than a command is waited for: the socket's timer also rings where this process was
 * too busy to read what has arrived, and a good connection would be lost with all that waits on it. What a Redis that paused answers late still
 * counts: a word about jobs that was lost with its connection holds their places for 15 s.
 */
const silenceMs = 4000;

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

/** Opens a connection; its errors are logged when they change, not at each try. */
export function openRedis(url: string, options: RedisOptions, log: Logger): Redis {
  return openOne(placeOf(url), options, log);
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

/** Redis' clock, Unix ms: what processes compare whose own clocks may differ. */
export async function readTimeMs(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}

/** A connection that only hears would never find out that it is gone: it asks for an answer so often, and waits for it no longer. */
const pingEveryMs = 5000;

/** Opens a connection that hears messages, and pings so that its silence means something. */
export function openHearing(url: string, options: RedisOptions, log: Logger): Redis {
  return withPings(openOne(placeOf(url), { ...options, socketTimeout: pingEveryMs }, log));
}

function withPings(redis: Redis): Redis {
  const timer = setInterval(() => {
    if (redis.status === 'ready') redis.ping().catch(() => undefined); // the connection itself says that it is away
  }, pingEveryMs).unref();
  redis.on('end', () => clearInterval(timer));
  return redis;
}

function placeOf(url: string): RedisPlace {
  const place = parseRedisUrl(url);
  if (!place) throw new TypeError('not an address of Redis');
  return place;
}

function tellOutages(redis: Redis, log: Logger): void {
  let last = '';
  redis.on('error', (error: Error & { code?: string }) => {
    const code = error.code ?? error.message;
    if (code !== last) log.warn({ code }, 'redis is unavailable');
    last = code;
  });
  redis.on('ready', () => {
    if (last !== '') log.info({}, 'redis is available again');
    last = '';
  });
}

/** Writes a little by a script. All work goes so: a user without the right to run them, or a server that is stuck in one, answers everything else. */
export async function tryWrite(redis: Redis): Promise<void> {
  await redis.eval("return redis.call('SET', KEYS[1], '1', 'EX', 60)", 1, `${keyPrefix}:ping`);
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

/** True for what only a server of a Redis Cluster answers. */
export function isClusterAnswer(error: unknown): boolean {
  return error instanceof Error && /(?:^|\s-)(?:MOVED|ASK|CROSSSLOT|CLUSTERDOWN)\s/.test(error.message);
}

/** What the words mean that somebody must do something about. */
const meanings: { readonly [word: string]: string } = {
  OOM: 'it is full: it has reached its maxmemory',
  MISCONF: 'it cannot write to its disk',
  READONLY: 'it is a replica that takes no writes',
  LOADING: 'it is still reading its data',
  BUSY: 'it is stuck in a script',
  NOAUTH: 'it wants a password, and the URL has none',
  WRONGPASS: 'it refuses the user or the password',
};

/** Says in a few words what is wrong with a Redis, or the way to it, from the error of a command or connection. */
export function sayRedisFault(error: unknown): string {
  const word = refusalOf(error);
  const message = error instanceof Error ? error.message : '';
  if (word === 'NOPERM') return `its user lacks a right (${message}): see the rights in docs/operating.md`;
  if (isClusterAnswer(error)) return noCluster;
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
