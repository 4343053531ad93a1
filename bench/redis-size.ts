import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { startRedis } from '../test/kit/redis.ts';
import { makeJob, openReady } from './queue-cost.ts';
import type { Section } from './section.ts';
import { inLanes } from './slow-host.ts';

/** What Redis holds after 10,000 and 100,000 finished jobs, in bytes and keys: as much. */
export async function bench(): Promise<Section> {
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
    const sizes: { readonly finished: number; readonly bytes: number; readonly keys: number }[] = [];
    for (const [finished, more] of [
      [10_000, 10_000],
      [100_000, 90_000],
    ] as const) {
      await inLanes(more, 64, runOne);
      const bytes = Number(/used_memory:(\d+)/.exec(await admin.info('memory'))?.[1]);
      sizes.push({ finished, bytes, keys: await admin.dbsize() });
    }
    const least = sizes[0]?.bytes ?? Number.NaN;
    return {
      title: 'Finished jobs in Redis',
      about: 'What Redis holds after so many jobs have ended and none waits.',
      columns: ['jobs finished', 'memory, MB', 'keys', 'memory ÷ that of the first row'],
      rows: sizes.map(({ finished, bytes, keys }) => [
        finished,
        (bytes / 1e6).toFixed(1),
        keys,
        (bytes / least).toFixed(2),
      ]),
      limits: 'the events and the last finished jobs that BullMQ keeps, both with an end.',
    };
  } finally {
    worker.kill();
    await queue.close(0);
    admin.disconnect();
    await redis.stop();
  }
}
