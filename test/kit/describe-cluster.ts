import { afterAll, beforeAll, describe } from 'vitest';
import { hasRedisCluster, startRedisCluster, type TestCluster } from './redis-cluster.ts';

/** Describes tests over a Redis Cluster of their own, which is there while they run; skipped where none can be started. */
export function describeCluster(subject: string, tests: (cluster: () => TestCluster) => void): void {
  describe.skipIf(!hasRedisCluster)(`${subject} over a cluster`, () => {
    let cluster: TestCluster;
    beforeAll(async () => {
      cluster = await startRedisCluster();
    }, 60_000);
    afterAll(() => cluster?.stop());
    tests(() => cluster);
  });
}
