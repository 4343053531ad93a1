import { Redis, type RedisOptions } from 'ioredis';
import type { Logger } from '../../logger.ts';
import { queueUnavailable } from '../unavailable.ts';

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
  // What was given up shall not be done after all when Redis is back.
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

/** Sends the commands of this turn of the loop in one write: each alone would cost a system call, dearer than all the rest of it. */
export function sendTogether({ stream }: Redis): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

/** Does something with Redis within its time, or throws Problem `queue_unavailable`. What was asked for may still happen later. */
export async function withinTime<T>(redis: Redis, act: () => Promise<T>): Promise<T> {
  if (redis.status !== 'ready') throw queueUnavailable();
  sendTogether(redis);
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(queueUnavailable()), redisTimeoutMs);
  try {
    return await Promise.race([act(), late.promise]);
  } catch (error) {
    throw isConnectionError(error) ? queueUnavailable(error) : error;
  } finally {
    clearTimeout(timer);
    late.promise.catch(() => undefined);
  }
}

// ioredis has no common class for these; by name and message they are told from errors of a script or a command.
function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'MaxRetriesPerRequestError' || error.name === 'AbortError') return true;
  return /Connection is closed|Command timed out|Socket timeout|Stream isn't writeable|ECONN|ETIMEDOUT|EPIPE|LOADING/.test(
    `${error.message} ${(error as NodeJS.ErrnoException).code ?? ''}`,
  );
}
