import { openClusterQueue } from '../kit/bullmq-queue.ts';
import { describeCluster } from '../kit/describe-cluster.ts';
import { jobQueueContract } from './job-queue.contract.ts';

describeCluster('BullMQ job queue', (cluster) => {
  jobQueueContract(async (limits) => openClusterQueue(cluster(), limits));
});
