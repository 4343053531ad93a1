import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { describe, test } from 'vitest';
import { impatientAlone, openHearing, openRedis, patient } from '#shared/backends/redis';
import { openBullmqJobQueue } from '#shared/queue/open';
import { makeJob } from '../contract/job-queue.contract.ts';
import { quiet } from '../kit/bullmq-queue.ts';
import { type Fault, openFaultyWay } from '../kit/faulty-way.ts';
import { hasRedis, startRedis } from '../kit/redis.ts';

const faults: readonly Fault[] = ['reset', 'ended', 'frozen', 'requests lost', 'answers lost'];
/** A blocked command has 12 s, and then the connection is made anew. */
const inTheEnd = { timeout: 30_000, interval: 250 };

// Most of each test is waiting for time limits: they wait side by side, each over a Redis of its own.
describe.skipIf(!hasRedis).concurrent('the way to Redis', () => {
  test.for(faults)(
    'with connections %s for a while: those that ask, wait and hear work again',
    async (fault, { expect, onTestFinished }) => {
      const redis = await startRedis();
      onTestFinished(() => redis.stop());
      const way = await openFaultyWay(Number(new URL(redis.url).port));
      const url = `redis://127.0.0.1:${way.port}`;
      const many = <T>(open: () => T) => Array.from({ length: 4 }, open);
      const asking = many(() => openRedis(url, impatientAlone, quiet));
      const waiting = many(() => openRedis(url, patient, quiet));
      // As BullMQ makes the connections of its own on which workers block.
      const blocking = waiting.map((each) => each.duplicate().on('error', () => undefined));
      const hearing = many(() => openHearing(url, patient, quiet));
      const heard = hearing.map(() => 0);
      hearing.forEach((each, at) => {
        each.on('ready', () => void each.subscribe('news').catch(() => undefined));
        each.on('message', () => {
          heard[at] = (heard[at] ?? 0) + 1;
        });
      });
      const all = [...asking, ...waiting, ...blocking, ...hearing];
      for (const each of all) onTestFinished(() => each.disconnect());
      await expect.poll(() => all.map(({ status }) => status)).toEqual(all.map(() => 'ready'));
      const popped = blocking.map((each, at) => untilPopped(each, `line ${fault} ${at}`));
      const asked = waiting.map((each) => keepAsking(each));
      way.strike(fault);
      await delay(2500);
      way.heal();
      const start = performance.now();
      const speaking = openRedis(redis.url, patient, quiet);
      onTestFinished(() => speaking.disconnect());
      const answer = (each: Redis) => each.ping().catch((error: Error) => error.message);
      await expect.poll(() => Promise.all(asking.map(answer)), inTheEnd).toEqual(asking.map(() => 'PONG'));
      for (const each of asked) await each;
      await expect
        .poll(async () => {
          await speaking.publish('news', 'x');
          return heard.every((times) => times > 0);
        }, inTheEnd)
        .toBe(true);
      await Promise.all(blocking.map((_, at) => speaking.rpush(`line ${fault} ${at}`, 'job')));
      await Promise.all(popped);
      console.log(`${fault}: all ${all.length} work ${Math.round(performance.now() - start)} ms later`);
      await way.close();
    },
  );

  test.for(faults)(
    'with connections %s for a while: API and worker go on with the queue',
    async (fault, { expect, onTestFinished }) => {
      const redis = await startRedis();
      onTestFinished(() => redis.stop());
      const way = await openFaultyWay(Number(new URL(redis.url).port));
      const url = `redis://127.0.0.1:${way.port}`;
      const options = { url, shards: 1, hostConcurrency: 4, hostWaitingLimit: 100, log: quiet };
      const [api, worker] = [openBullmqJobQueue(options), openBullmqJobQueue(options)];
      onTestFinished(async () => void (await Promise.all([api.close(0), worker.close(0)])));
      const run = new Set<string>();
      worker.work(
        'network',
        4,
        async ({ target }) => void run.add(target),
        async () => undefined,
      );
      const submit = (target: string) =>
        api.submit(makeJob({ target })).then(
          ({ state }) => state as string,
          (error: Error) => error.message,
        );
      await expect.poll(() => submit(`before ${fault}`), inTheEnd).toBe('admitted');
      await expect.poll(() => run).toContain(`before ${fault}`);
      way.strike(fault);
      await delay(2500);
      way.heal();
      const start = performance.now();
      await expect.poll(() => submit(`after ${fault}`), inTheEnd).toBe('admitted');
      await expect.poll(() => run, inTheEnd).toContain(`after ${fault}`);
      console.log(`${fault}: a job is run ${Math.round(performance.now() - start)} ms later`);
      await Promise.all([api.close(0), worker.close(0)]);
      await way.close();
    },
  );
});

async function untilPopped(redis: Redis, key: string): Promise<void> {
  while ((await redis.blpop(key, 5)) === null);
}

async function keepAsking(redis: Redis): Promise<void> {
  const until = performance.now() + 3000;
  while (performance.now() < until) {
    await redis.ping();
    await delay(50);
  }
}
