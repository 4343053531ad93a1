import { Redis, type RedisOptions } from 'ioredis';
import type { Logger } from './logger.ts';

/** Prefix of every Redis key and channel of this service; BullMQ's own keys are below `diag:bull`. */
export const keyPrefix = 'diag';

/** How long the API waits for the queue before it says 503; with the limiter before it, within a second. */
export const redisTimeoutMs = 700;
const aloneTimeoutMs = 250;

/** For the API: fails at once. What is asked within `withinTime` ends there; the rest needs `impatientAlone`. */
export const impatient: RedisOptions = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  connectTimeout: redisTimeoutMs,
  socketTimeout: redisTimeoutMs,
  retryStrategy: (attempt) => Math.min(attempt * 100, 1000),
};

/** For commands without a `withinTime` around them: a frozen server keeps its connection `ready`, so each has its own end. */
export const impatientAlone: RedisOptions = {
  ...impatient,
  commandTimeout: aloneTimeoutMs,
  // What was given up must not be done later, when Redis is back.
  autoResendUnfulfilledCommands: false,
};

/** For a worker: waits until Redis is back, as what it has to say must be said. */
export const patient: RedisOptions = {
  maxRetriesPerRequest: null,
  retryStrategy: (attempt) => Math.min(attempt * 100, 1000),
};

// ioredis's types want the options alone; its own parser reads the same parts of the URL.
function parseRedisUrl(text: string): RedisOptions {
  const url = new URL(text);
  return {
    host: url.hostname,
    port: Number(url.port || 6379),
    ...(url.username === '' ? {} : { username: decodeURIComponent(url.username) }),
    ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
    ...(url.pathname.length > 1 ? { db: Number(url.pathname.slice(1)) } : {}),
    ...(url.protocol === 'rediss:' ? { tls: {} } : {}),
  };
}

/** Opens a connection; its errors are logged when they change, not at each try. */
export function openRedis(url: string, options: RedisOptions, log: Logger): Redis {
  const redis = new Redis({ ...parseRedisUrl(url), ...options, replyMapping: 'legacy' });
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
  return redis;
}

/** True when Redis could not be reached, or answered that it does no work now: neither the command nor this service is at fault, and a later try may succeed. */
export function isRedisAway(error: unknown): boolean {
  return isConnectionError(error) || refusalOf(error) !== undefined;
}

/**
 * The words with which Redis refuses a command that is in order: no memory left, no disk to write to, a replica that may not write,
 * data that is still being read, a script cache that was emptied, a slow script, a cluster without all its parts.
 */
const refusals =
  /(?:^|\s-)(OOM|MISCONF|READONLY|LOADING|NOSCRIPT|BUSY|MASTERDOWN|NOREPLICAS|CLUSTERDOWN|TRYAGAIN)\s/;

/** The word with which Redis refused to work, such as "OOM"; undefined for every other error. */
export function refusalOf(error: unknown): string | undefined {
  // Redis 7 begins its message with the word; Redis 6 quotes it after "-" when a script met it.
  return error instanceof Error ? refusals.exec(error.message)?.[1] : undefined;
}

// ioredis has no common class for these; by name and message they are told from errors of a script or a command.
function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'MaxRetriesPerRequestError' || error.name === 'AbortError') return true;
  return /Connection is closed|Command timed out|Socket timeout|Stream isn't writeable|ECONN|ETIMEDOUT|EPIPE/.test(
    `${error.message} ${(error as NodeJS.ErrnoException).code ?? ''}`,
  );
}
