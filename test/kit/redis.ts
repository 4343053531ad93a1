import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, freePort } from './programs.ts';

/** A Redis of the test's own, which it may stop, freeze and kill; or the one of REDIS_URL, which it may only use. */
export type TestRedis = {
  readonly url: string;
  readonly process: ChildProcess | undefined;
  /** Starts it again after it was killed; its data is there if `appendonly` was on. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

const program = findProgram('redis-server');

/** Whether there is a Redis for tests; a part that needs one is skipped loudly without, and fails on CI. */
export const hasRedis = program !== undefined || process.env['REDIS_URL'] !== undefined;

/** Starts a Redis on a free port, or names the one of REDIS_URL. */
export async function startRedis({ appendOnly = false } = {}): Promise<TestRedis> {
  if (program === undefined)
    return {
      url: process.env['REDIS_URL'] ?? '',
      process: undefined,
      restart: async () => undefined,
      stop: async () => undefined,
    };
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'diag-redis-'));
  const start = async () => {
    const child = spawn(
      program,
      [
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--dir',
        folder,
        '--save',
        '',
        '--appendonly',
        appendOnly ? 'yes' : 'no',
        '--loglevel',
        'warning',
      ],
      { stdio: 'ignore' },
    );
    await untilListening(port);
    return child;
  };
  const redis = { url: `redis://127.0.0.1:${port}`, process: await start(), restart, stop };
  async function restart() {
    redis.process = await start();
  }
  async function stop() {
    redis.process.kill('SIGCONT');
    redis.process.kill('SIGKILL');
    if (redis.process.exitCode === null && redis.process.signalCode === null)
      await new Promise((resolve) => redis.process.once('exit', resolve));
    rmSync(folder, { recursive: true, force: true });
  }
  return redis;
}

/** Waits until something listens on the port of loopback. */
export async function untilListening(port: number): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    const isThere = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`nothing listens on port ${port}`);
}
