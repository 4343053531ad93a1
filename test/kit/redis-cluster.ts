import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis, type RedisOptions } from 'ioredis';
import type { Guard } from './guarded-redis.ts';
import { findProgram, freePort } from './programs.ts';
import { untilListening } from './redis.ts';

/** A Redis Cluster of the test's own: three masters, and a replica of each. */
export type TestCluster = {
  /** REDIS_URL with the addresses of all nodes. */
  readonly url: string;
  readonly ports: readonly number[];
  /** Connections to the masters of now; the caller ends them. */
  masters(): Promise<readonly Redis[]>;
  /** Ends a node without a goodbye. */
  kill(port: number): Promise<void>;
  /** Starts a node again that was killed; it is a replica then, if another has taken its place. */
  restart(port: number): Promise<void>;
  stop(): Promise<void>;
};

const server = findProgram('redis-server');
const client = findProgram('redis-cli');

/** Whether there can be a cluster for tests. */
export const hasRedisCluster = server !== undefined && client !== undefined;

/** How the nodes of a cluster are guarded, and how one gets in. */
type Guarding = Pick<Guard, 'settings' | 'access' | 'clientWords'>;
const open: Guarding = { settings: (port) => ({ port }), access: {}, clientWords: [] };

/** Starts six nodes on free ports, and joins them. @param nodeTimeoutMs so soon a node that is silent is given up by the others */
export async function startRedisCluster(guard: Guarding = open, nodeTimeoutMs = 1000): Promise<TestCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'diag-redis-cluster-'));
  const nodes = new Map<number, ChildProcess>();
  const busPorts = new Map<number, number>();
  const start = async (port: number) => {
    // Without one of its own it would be the port and 10,000, which another may have.
    const busPort = busPorts.get(port) ?? (await freePort());
    busPorts.set(port, busPort);
    nodes.set(port, spawnNode({ port, busPort, folder, nodeTimeoutMs, more: guard.settings(port) }));
    await untilListening(port);
  };
  while (nodes.size < 6) await start(await freePort());
  const ports = [...nodes.keys()];
  const addresses = ports.map((port) => `127.0.0.1:${port}`);
  const joinNodes = () =>
    execFileSync(client ?? '', [
      '--cluster',
      'create',
      ...addresses,
      '--cluster-replicas',
      '1',
      '--cluster-yes',
      ...guard.clientWords,
    ]);
  try {
    joinNodes();
    await untilWhole(ports, guard.access);
  } catch (error) {
    await Promise.all([...nodes.values()].map(end)); // nobody else knows of them
    throw error;
  }
  return {
    url: `redis+cluster://${addresses.join(',')}`,
    ports,
    masters: () => findMasters(ports, guard.access),
    kill: (port) => end(nodes.get(port)),
    restart: start,
    async stop() {
      await Promise.all([...nodes.values()].map(end));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type NodePlace = {
  readonly port: number;
  readonly busPort: number;
  readonly folder: string;
  readonly nodeTimeoutMs: number;
  readonly more: Readonly<Record<string, string | number>>;
};

function spawnNode({ port, busPort, folder, nodeTimeoutMs, more }: NodePlace): ChildProcess {
  const settings = {
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: 'no',
    dbfilename: `dump-${port}.rdb`,
    loglevel: 'warning',
    'cluster-enabled': 'yes',
    'cluster-config-file': `nodes-${port}.conf`,
    'cluster-port': busPort,
    'cluster-node-timeout': nodeTimeoutMs,
    // While one master is away the others go on.
    'cluster-require-full-coverage': 'no',
    'cluster-replica-validity-factor': '0',
    'hash-max-listpack-value': 1024,
    'repl-diskless-sync-delay': 0,
    ...more,
  };
  const words = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return spawn(server ?? '', words, { stdio: 'ignore' });
}

function end(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

/** Waits until every node knows all slots, and every replica has its master's data. */
async function untilWhole(ports: readonly number[], access: RedisOptions): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    const whole = await Promise.all(ports.map((port) => ask(port, access, isWhole)));
    if (whole.every(Boolean)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the cluster did not come together');
}

async function isWhole(redis: Redis): Promise<boolean> {
  const [cluster, replication] = [await redis.cluster('INFO'), await redis.info('replication')];
  return (
    cluster.includes('cluster_state:ok') &&
    cluster.includes('cluster_known_nodes:6') &&
    /connected_slaves:1|master_link_status:up/.test(replication)
  );
}

async function ask<T>(
  port: number,
  access: RedisOptions,
  act: (redis: Redis) => Promise<T>,
): Promise<T | undefined> {
  const redis = new Redis(port, '127.0.0.1', {
    ...access,
    retryStrategy: () => null,
    replyMapping: 'legacy',
  });
  redis.on('error', () => undefined);
  try {
    return await act(redis);
  } catch {
    return undefined; // a node that is away
  } finally {
    redis.disconnect();
  }
}

async function findMasters(ports: readonly number[], access: RedisOptions): Promise<readonly Redis[]> {
  const roles = await Promise.all(ports.map((port) => ask(port, access, (redis) => redis.role())));
  return ports
    .filter((_, index) => roles[index]?.[0] === 'master')
    .map((port) => new Redis(port, '127.0.0.1', { ...access, replyMapping: 'legacy' }));
}
