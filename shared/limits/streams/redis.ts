import type { Redis } from 'ioredis';
import { randomId } from '../../model/job.ts';
import { type StreamPlaces, streamLeaseMs } from '../../ports/stream-places.ts';
import { openPlaces } from '../../queue/scheduler/scheduler.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { openMemoryStreamPlaces } from './memory.ts';

const renewEveryMs = streamLeaseMs / 3;
const groupOf = (account: string) => `streams ${account}`;

/** The places over all processes. While Redis is away each process goes by its own. */
export function openRedisStreamPlaces(redis: Redis, log: Logger): StreamPlaces {
  const places = openPlaces(redis);
  const alone = openMemoryStreamPlaces();
  /** The account of each stream that this process has open. */
  const open = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  const ask = async (account: string, id: string, most: number): Promise<boolean> => {
    if (redis.status !== 'ready') return true;
    try {
      return await places.occupy(groupOf(account), id, most, streamLeaseMs);
    } catch (error) {
      log.debug({ err: error }, 'streams not counted together: Redis does not answer');
      return true;
    }
  };
  const renew = () => {
    for (const [id, account] of open) void ask(account, id, 0); // it never rejects
  };
  const leave = (account: string, id: string) => {
    open.delete(id);
    if (open.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    places.vacate(groupOf(account), id).catch(() => undefined); // then its lease ends
  };
  return {
    async take(account, most) {
      const leaveAlone = await alone.take(account, most);
      if (!leaveAlone) return undefined;
      const id = randomId();
      if (!(await ask(account, id, most))) {
        leaveAlone();
        return undefined;
      }
      open.set(id, account);
      timer ??= setInterval(renew, renewEveryMs).unref();
      return () => {
        if (!open.has(id)) return;
        leaveAlone();
        leave(account, id);
      };
    },
  };
}
