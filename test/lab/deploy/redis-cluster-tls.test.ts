import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Guard, makeGuard } from '../../kit/guarded-redis.ts';
import { hasMongo } from '../../kit/mongo.ts';
import { hasRedisCluster, startRedisCluster, type TestCluster } from '../../kit/redis-cluster.ts';
import { type GuardedPair, startGuardedPair } from './guarded-pair.ts';

describe.skipIf(!(hasRedisCluster && hasMongo))('a cluster that speaks TLS only, by names, to users', () => {
  let guard: Guard;
  let cluster: TestCluster;
  let pair: GuardedPair;
  beforeAll(async () => {
    guard = await makeGuard(['localhost']);
    cluster = await startRedisCluster({
      ...guard,
      // The certificate has the name alone: nodes must be told, and asked, by it.
      settings: (port) => ({
        ...guard.settings(port),
        'tls-cluster': 'yes',
        'cluster-announce-hostname': 'localhost',
        'cluster-preferred-endpoint-type': 'hostname',
      }),
    });
    const file = join(guard.folder, 'redis-url');
    const nodes = cluster.ports.map((port) => `localhost:${port}`).join();
    writeFileSync(file, `rediss+cluster://diag:${encodeURIComponent(guard.users.diag)}@${nodes}\n`);
    pair = await startGuardedPair({ REDIS_URL_FILE: file, NODE_EXTRA_CA_CERTS: guard.authorityFile });
  }, 90_000);
  afterAll(async () => {
    await pair?.close();
    await cluster?.stop();
    guard?.remove();
  });

  test('serves an API and a worker; nothing they ask for is forbidden to their user', async () => {
    await expect.poll(() => pair.statuses()).toEqual(['ready', 'ready']);
    await expect.poll(() => pair.answers()).toBe(true);
    expect(pair.complaints()).toEqual([]);
  });

  test('goes on when a master is killed and its replica takes over', async () => {
    const [master, ...others] = await cluster.masters();
    const port = Number(master?.options.port);
    for (const each of [master, ...others]) each?.disconnect();
    await cluster.kill(port);
    await expect.poll(() => pair.statuses(), { timeout: 30_000 }).toEqual(['ready', 'ready']);
    await expect.poll(() => pair.answers(), { timeout: 30_000 }).toBe(true);
    expect(pair.complaints()).toEqual([]);
  });
});
