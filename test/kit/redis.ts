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

/** Starts a Redis on a free port, or names the one of REDIS_URL. @param isOfCluster it has the protocol of a cluster, and no slots */
export async function startRedis({ appendOnly = false, isOfCluster = false } = {}): Promise<TestRedis> {
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
        ...(isOfCluster ? ['--cluster-enabled', 'yes'] : []),
        '--hash-max-listpack-value',
        '1024',
        '--loglevel',
        'warning',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    await untilListening(port, child);
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

/** Servers start in tens of milliseconds; a machine that reads their files from a busy disk takes many seconds. */
const startMs = 50_000;

/**
 * Waits until something listens on the port of loopback.
 * @param child whose server it is: nothing is waited for once it has ended, and what it wrote to stderr says why
 */
export async function untilListening(port: number, child?: ChildProcess): Promise<void> {
  let said = '';
  child?.stderr?.on('data', (piece: Buffer) => (said = `${said}${piece.toString()}`.slice(-1000)));
  const start = performance.now();
  while (performance.now() - start < startMs) {
    const isThere = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
    if (isThere) return;
    if (child && (child.exitCode !== null || child.signalCode !== null)) break;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  const end =
    child && `; its server ended with ${child.exitCode ?? child.signalCode ?? 'nothing yet'}: ${said}`;
  throw new Error(`nothing listens on port ${port}${end ?? ''}`);
}
