import type { Redis } from 'ioredis';
import { refusalOf } from '../../backends/redis.ts';
import { Problem } from '../../model/problem.ts';
import { noCluster } from '../../settings/redis-url.ts';
import { jobsKey } from './keys.ts';
import { withinTime } from './within-time.ts';

const reasons: { readonly [word: string]: string } = {
  OOM: 'Redis is full: it has reached its maxmemory',
  MISCONF: 'Redis cannot write to its disk',
  READONLY: 'Redis is a replica that takes no writes',
  LOADING: 'Redis is still reading its data',
  BUSY: 'Redis is stuck in a script',
  NOPERM: 'the user of REDIS_URL lacks a right: see the rights in docs/operating.md',
};

// All work goes by scripts: a user without the right to run them, or a server that is stuck in one, answers everything else.
const trial = "return redis.call('SET', KEYS[1], '1', 'EX', 60)";

/** Tries Redis by a write, and looks at its settings: true when it takes jobs, else why not. Never rejects. */
export async function judgeRedis(redis: Redis): Promise<true | string> {
  try {
    return await withinTime(redis, async () => {
      await redis.eval(trial, 1, jobsKey('ping'));
      return judgeSettings(redis);
    });
  } catch (error) {
    const cause = error instanceof Problem ? error.cause : error;
    if (cause instanceof Error && /^(MOVED|CLUSTERDOWN|CROSSSLOT)\b/.test(cause.message)) return noCluster;
    const word = refusalOf(cause);
    if (word === undefined) return 'Redis does not answer';
    return reasons[word] ?? `Redis refuses work: ${word}`;
  }
}

// A queue in a Redis that evicts would lose jobs without a word.
async function judgeSettings(redis: Redis): Promise<true | string> {
  const unknown = () => undefined; // managed servers forbid CONFIG
  const [answer, info] = await Promise.all([
    redis.config('GET', 'maxmemory-policy').catch(unknown),
    redis.info('cluster').catch(unknown),
  ]);
  if (info?.includes('cluster_enabled:1') === true) return noCluster;
  const policy = Array.isArray(answer) ? String(answer[1]) : 'noeviction';
  return policy === 'noeviction' ? true : `Redis has maxmemory-policy ${policy}; the queue needs noeviction`;
}
