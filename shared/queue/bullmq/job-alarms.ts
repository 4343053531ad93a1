import type { Redis } from 'ioredis';
import type { AnyRedis } from '../../backends/redis.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { wakeChannel } from './keys.ts';

/** Tells the workers of this process, in a cluster, when a job may run. */
export type JobAlarms = {
  /** For fetching jobs: it fails soon. */
  readonly redis: AnyRedis;
  /** Listens for one message from now on. */
  listen(message: string): Alarm;
  close(): void;
};

export type Alarm = {
  /** Resolves when the alarm rings, at once if it rang since the last wait, and after so long in any case. */
  wait(timeoutMs: number): Promise<void>;
  ring(): void;
  /** What rang until now is seen to. */
  quiet(): void;
};

/** Hears the messages over a connection of its own. After a break every alarm rings, as messages may have been missed. */
export function openJobAlarms(redis: AnyRedis, hearing: Redis, log: Logger): JobAlarms {
  const alarms = new Map<string, Alarm[]>();
  const ringAll = () => [...alarms.values()].flat().forEach((alarm) => alarm.ring());
  hearing.on('ready', () => {
    hearing
      .subscribe(wakeChannel)
      .then(ringAll, (error: unknown) => log.warn({ err: error }, 'cannot subscribe to new jobs')); // the next `ready` tries again
  });
  hearing.on('message', (_channel, message) => alarms.get(message)?.forEach((alarm) => alarm.ring()));
  return {
    redis,
    listen(message) {
      const alarm = makeAlarm();
      alarms.set(message, [...(alarms.get(message) ?? []), alarm]);
      return alarm;
    },
    close() {
      hearing.disconnect();
      redis.disconnect();
      ringAll();
    },
  };
}

function makeAlarm(): Alarm {
  let hasRung = false;
  let wake: (() => void) | undefined;
  return {
    async wait(timeoutMs) {
      if (!hasRung)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      hasRung = false;
      wake = undefined;
    },
    ring() {
      hasRung = true;
      wake?.();
    },
    quiet() {
      hasRung = false;
    },
  };
}
