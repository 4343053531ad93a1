import { impatientAlone, keyPrefix, openHearing, openRedis, patient } from '../../backends/redis.ts';
import type { Logger } from '../../telemetry/logger.ts';

/** Tells every process that a token was changed. */
export type Announcements = {
  announce(): Promise<void>;
  /** Counts what was heard, and each new connection, as something may have been missed before it. */
  heard(): number;
  close(): void;
};

const channel = `${keyPrefix}:tokens`;

/** Announcements over Redis. One that is away loses them: the log says so, and the store looks again by itself soon. */
export function openRedisAnnouncements(url: string, log: Logger): Announcements {
  const speaking = openRedis(url, { ...impatientAlone, enableOfflineQueue: true, lazyConnect: true }, log);
  const hearing = openHearing(url, { ...patient, enableOfflineQueue: false, lazyConnect: true }, log);
  let count = 0;
  hearing.on('ready', () => {
    count += 1;
    hearing
      .subscribe(channel)
      .catch((error: unknown) => log.warn({ err: error }, 'cannot subscribe to changed tokens'));
  });
  hearing.on('message', () => {
    count += 1;
  });
  return {
    announce: () =>
      speaking.publish(channel, 'changed').then(
        () => undefined,
        (error: unknown) =>
          log.warn({ err: error }, 'a changed token was not announced: API processes notice within a second'),
      ),
    heard() {
      // Only processes that read tokens subscribe: a worker and the command line never do.
      if (hearing.status === 'wait') hearing.connect().catch(() => undefined); // the connection itself says that it is away
      return count;
    },
    close() {
      speaking.disconnect();
      hearing.disconnect();
    },
  };
}
