import type { Redis } from 'ioredis';
import { Problem } from '../../model/problem.ts';
import { keyPrefix, refusalOf } from '../../redis.ts';
import { withinTime } from './within-time.ts';

const reasons: { readonly [word: string]: string } = {
  OOM: 'Redis is full: it has reached its maxmemory',
  MISCONF: 'Redis cannot write to its disk',
  READONLY: 'Redis is a replica that takes no writes',
  LOADING: 'Redis is still reading its data',
};

/** True when Redis takes jobs now, tried by a write; else why not in a few words. Never rejects. */
export async function judgeRedis(redis: Redis): Promise<true | string> {
  try {
    return await withinTime(redis, async () => {
      await redis.set(`${keyPrefix}:ping`, '1', 'EX', 60);
      return judgePolicy(redis);
    });
  } catch (error) {
    const word = refusalOf(error instanceof Problem ? error.cause : error);
    if (word === undefined) return 'Redis does not answer';
    return reasons[word] ?? `Redis refuses work: ${word}`;
  }
}

// A queue in a Redis that evicts would lose jobs without a word.
async function judgePolicy(redis: Redis): Promise<true | string> {
  const answer = await redis.config('GET', 'maxmemory-policy').catch(() => undefined); // managed servers forbid CONFIG
  const policy = Array.isArray(answer) ? String(answer[1]) : 'noeviction';
  return policy === 'noeviction' ? true : `Redis has maxmemory-policy ${policy}; the queue needs noeviction`;
}
