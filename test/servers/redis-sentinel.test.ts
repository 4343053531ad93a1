import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openBullmqJobQueue } from '#shared/queue/open';
import { makeJob } from '../contract/job-queue.contract.ts';
import { quiet } from '../kit/bullmq-queue.ts';
import { findProgram, freePort } from '../kit/programs.ts';
import { untilListening } from '../kit/redis.ts';

const program = findProgram('redis-server');

/** Starts a server with these words, and gives the function that kills it. */
async function start(port: number, words: readonly string[]): Promise<() => void> {
  const child = spawn(program ?? '', words, { stdio: 'ignore' });
  const kill = () => void child.kill('SIGKILL');
  onTestFinished(kill);
  await untilListening(port);
  return kill;
}

test.skipIf(program === undefined)(
  'a master that a sentinel watches is found, and so is the one that takes its place',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'diag-sentinel-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [master, replica, sentinel] = [await freePort(), await freePort(), await freePort()];
    const words = (port: number) => ['--port', String(port), '--save', '', '--dir', folder];
    const killMaster = await start(master, words(master));
    await start(replica, [...words(replica), '--replicaof', `127.0.0.1 ${master}`]);
    const file = join(folder, 'sentinel.conf');
    const lines = [
      'monitor main 127.0.0.1 %s 1',
      'down-after-milliseconds main 500',
      'failover-timeout main 2000',
    ];
    writeFileSync(
      file,
      `port ${sentinel}\n${lines.map((line) => `sentinel ${line.replace('%s', String(master))}\n`).join('')}`,
    );
    await start(sentinel, [file, '--sentinel']);
    const url = `redis+sentinel://127.0.0.1:${sentinel}/main`;
    const queue = openBullmqJobQueue({ url, hostConcurrency: 4, hostWaitingLimit: 10, log: quiet });
    onTestFinished(() => queue.close(0));
    const run: string[] = [];
    queue.work(
      'network',
      1,
      async ({ target }) => void run.push(target),
      async () => undefined,
    );
    const submit = (target: string) =>
      queue.submit(makeJob({ target })).then(
        ({ state }) => state as string,
        (error: Error) => error.message,
      );
    await expect.poll(() => submit('first'), { timeout: 10_000 }).toBe('admitted');
    await expect.poll(() => run).toContain('first');
    killMaster();
    // Its jobs wait until the sentinel has made the replica the master; the worker is there again by itself.
    await expect.poll(() => submit('second'), { timeout: 30_000, interval: 200 }).toBe('admitted');
    await expect.poll(() => run, { timeout: 20_000 }).toContain('second');
  },
  60_000,
);
