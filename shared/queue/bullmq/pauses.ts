import type { AnyRedis } from '../../backends/redis.ts';
import type { Job } from '../../model/job.ts';
import type { Keys } from './keys.ts';

/** What an operator holds back: all jobs of a host, or all jobs of a check. */
export type Paused = { readonly kind: 'host' | 'check'; readonly name: string };

/** A pause and its end, Unix ms of the shared clock. */
export type Pause = Paused & { readonly until: number };

/** Pauses over all workers. They are in Redis, so a worker that starts later keeps them too. */
export type PauseStore = {
  /** What holds the job back now, the one that ends last; undefined where nothing does. @param nowMs by the shared clock */
  of(job: Pick<Job, 'host' | 'check'>, nowMs: number): Promise<Pause | undefined>;
  /** Pauses, or gives a pause that is there another end. */
  pause(pause: Pause): Promise<void>;
  /** Ends a pause; false where there was none. */
  resume(paused: Paused): Promise<boolean>;
  /** Every pause that has not ended. Those that have are deleted. */
  list(nowMs: number): Promise<Pause[]>;
};

/** No pause is longer: one that was forgotten ends by itself. */
export const pauseMostMs = 86_400_000;

/** Opens the pauses of a shard, a hash: "host <name>" or "check <name>" -> its end, Unix ms of the shared clock. */
export function openPauses(redis: AnyRedis, { pauses: key }: Keys): PauseStore {
  return {
    async of({ host, check }, nowMs) {
      const [ofHost, ofCheck] = await redis.hmget(key, `host ${host}`, `check ${check}`);
      const both: Pause[] = [
        { kind: 'host', name: host, until: Number(ofHost ?? 0) },
        { kind: 'check', name: check, until: Number(ofCheck ?? 0) },
      ];
      return both.filter(({ until }) => until > nowMs).sort((a, b) => b.until - a.until)[0];
    },
    async pause({ kind, name, until }) {
      await redis.hset(key, `${kind} ${name}`, until);
      // The key outlives every pause in it, and no longer.
      await redis.pexpire(key, pauseMostMs);
    },
    resume: async ({ kind, name }) => (await redis.hdel(key, `${kind} ${name}`)) === 1,
    async list(nowMs) {
      const pauses = Object.entries(await redis.hgetall(key)).flatMap(([field, until]) =>
        readPause(field, until),
      );
      const ended = pauses.filter(({ until }) => until <= nowMs);
      if (ended.length > 0) await redis.hdel(key, ...ended.map(({ kind, name }) => `${kind} ${name}`));
      return pauses.filter(({ until }) => until > nowMs);
    },
  };
}

/** The pauses of all shards as one: each worker reads those of the shard that its job is in. */
export function mergePauses(all: readonly PauseStore[]): Omit<PauseStore, 'of'> {
  return {
    async pause(pause) {
      await Promise.all(all.map((one) => one.pause(pause)));
    },
    resume: async (paused) => (await Promise.all(all.map((one) => one.resume(paused)))).includes(true),
    async list(nowMs) {
      const pauses = (await Promise.all(all.map((one) => one.list(nowMs)))).flat();
      return [...new Map(pauses.map((pause) => [`${pause.kind} ${pause.name}`, pause])).values()];
    },
  };
}

function readPause(field: string, until: string): Pause[] {
  const [, kind, name] = /^(host|check) (.+)$/.exec(field) ?? [];
  return kind === undefined || name === undefined
    ? []
    : [{ kind: kind as Paused['kind'], name, until: Number(until) }];
}
