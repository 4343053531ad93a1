import type { Redis } from 'ioredis';
import { jobsKey } from './keys.ts';
import { defineScheduler } from './scheduler.ts';

/** Places of a group, "at most so many at once", for what is no job: each is its member's until its lease ends, over all processes. */
export type Places = {
  /** False where the group has so many already. @param most 0 renews the place of a member, also one that Redis has lost */
  occupy(group: string, member: string, most: number, leaseMs: number): Promise<boolean>;
  vacate(group: string, member: string): Promise<void>;
};

/** Opens them over a connection. */
export function openPlaces(redis: Redis): Places {
  const call = defineScheduler(redis);
  return {
    occupy: async (group, member, most, leaseMs) =>
      (await call('occupy', 0, group, member, most, leaseMs))[0] === '1',
    vacate: async (group, member) => void (await redis.zrem(jobsKey('at', group), member)),
  };
}
