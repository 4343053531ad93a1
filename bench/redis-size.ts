import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { startRedis } from '../test/kit/redis.ts';
import { makeJob, openReady } from './queue-cost.ts';
import { inLanes } from './slow-host.ts';

/** What Redis holds after 10 k and 100 k finished jobs, in bytes and keys: flat. */
export async function bench(): Promise<void> {
  const redis = await startRedis();
  const admin = new Redis(redis.url);
  const worker = fork(fileURLToPath(new URL('queue-cost-worker.ts', import.meta.url)), ['ours', redis.url]);
  await new Promise((resolve) => worker.once('message', resolve));
  const queue = await openReady(redis.url);
  const waiting = new Map<string, () => void>();
  queue.onDone((done) => done !== 'missed' && waiting.get(done.jobKey)?.());
  const runOne = async (index: number) => {
    const job = makeJob(`h${index % 1000}.test`, `c${index % 100}`);
    const done = new Promise<void>((resolve) => waiting.set(job.jobKey, resolve));
    // A machine that is busy with other work may be late; the job's id makes a second submit harmless.
    while (!(await queue.submit(job).catch(() => undefined))) continue;
    await done;
    waiting.delete(job.jobKey);
  };
  try {
    const sizes: number[] = [];
    for (const [finished, more] of [
      [10_000, 10_000],
      [100_000, 90_000],
    ] as const) {
      await inLanes(more, 64, runOne);
      const bytes = Number(/used_memory:(\d+)/.exec(await admin.info('memory'))?.[1]);
      sizes.push(bytes);
      console.log(
        `${finished} jobs finished: ${(bytes / 1e6).toFixed(1)} MB in ${await admin.dbsize()} keys`,
      );
    }
    const [first = 0, last = 0] = sizes;
    console.log(`ratio ${(last / first).toFixed(2)} (at most 1.20)`);
  } finally {
    worker.kill();
    await queue.close(0);
    admin.disconnect();
    await redis.stop();
  }
}
