import { afterAll, beforeAll, describe } from 'vitest';
import { openClusterQueue } from '../kit/bullmq-queue.ts';
import { hasRedisCluster, startRedisCluster, type TestCluster } from '../kit/redis-cluster.ts';
import { jobQueueContract } from './job-queue.contract.ts';

describe.skipIf(!hasRedisCluster)('BullMQ job queue over a cluster', () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startRedisCluster();
  }, 60_000);
  afterAll(() => cluster?.stop());
  jobQueueContract(async (limits) => openClusterQueue(cluster, limits));
});
