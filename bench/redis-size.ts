import { fork } from 'node:child_process';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { startRedis } from '../test/kit/redis.ts';
import { makeJob, openReady } from './queue-cost.ts';
import type { Section } from './section.ts';
import { inLanes } from './slow-host.ts';

/** Each job leaves a mark of its end for a minute. */
const markMs = 60_000;

/** What Redis holds after 10,000 and 100,000 finished jobs, in bytes and keys: as much, a minute later. */
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
    const sizes: Size[] = [];
    for (const [finished, more] of [
      [10_000, 10_000],
      [100_000, 90_000],
    ] as const) {
      await inLanes(more, 64, runOne);
      sizes.push({ what: `${finished} jobs have ended`, ...(await sizeOf(admin)) });
    }
    await after(markMs + 5000);
    sizes.push({ what: 'a minute later', ...(await sizeOf(admin)) });
    const least = sizes[0]?.bytes ?? Number.NaN;
    return {
      title: 'Finished jobs in Redis',
      about:
        'What Redis holds when jobs that do nothing have ended, as many a second as the machine can do, and none waits.',
      columns: ['', 'memory, MB', 'keys', 'memory ÷ that of the first row'],
      rows: sizes.map(({ what, bytes, keys }) => [
        what,
        (bytes / 1e6).toFixed(1),
        keys,
        (bytes / least).toFixed(2),
      ]),
      limits:
        'the 10,000 finished jobs that are kept for ten minutes, and about 200 bytes for each job that ended within the last minute.',
    };
  } finally {
    worker.kill();
    await queue.close(0);
    admin.disconnect();
    await redis.stop();
  }
}

type Size = { readonly what: string; readonly bytes: number; readonly keys: number };

async function sizeOf(admin: Redis): Promise<Omit<Size, 'what'>> {
  const bytes = Number(/used_memory:(\d+)/.exec(await admin.info('memory'))?.[1]);
  return { bytes, keys: await admin.dbsize() };
}
