import { parseRedisUrl } from '../settings/redis-url.ts';
import { openLogger } from '../telemetry/logger.ts';
import { freeDelay } from '../time/free-delay.ts';
import { type BackendAnswer, silentAfterMs } from './backend-answer.ts';
import { onceOnly, openRedis, sayRedisFault, tryWrite } from './redis.ts';

const silent = 'it does not answer in time';

/** Connects anew, writes a little by a script as the queue does, and says what that met. Never rejects, and ends within about a second, later on a busy machine. */
export async function lookAtRedis(url: string): Promise<BackendAnswer> {
  const place = parseRedisUrl(url);
  const server = place?.nodes.map(({ host, port }) => `${host}:${port}`).join() ?? '';
  const redis = openRedis(url, onceOnly, openLogger('silent'));
  // The connection reports a refused password; the command only learns that there is none.
  let first: Error | undefined;
  const hear = (error: Error) => {
    first ??= error;
  };
  redis.on('error', hear);
  const late = freeDelay(silentAfterMs).then(() => silent);
  const look = async () => {
    // The client goes on in database 0 where there is none of its number.
    if (place?.access.db !== undefined) await redis.select(place.access.db);
    await tryWrite(redis);
  };
  const looking = look().then(
    () => undefined,
    (error: unknown) => sayRedisFault(first ?? error),
  );
  const cause = await Promise.race([looking, late]);
  redis.disconnect();
  const isTlsUnheard = cause === silent && place?.access.tls !== undefined;
  return { server, cause: isTlsUnheard ? `${cause} over TLS: perhaps it speaks none` : cause };
}
