import { openClusterQueue } from '../kit/bullmq-queue.ts';
import { describeCluster } from '../kit/describe-cluster.ts';
import { jobQueueContract, type OpenQueue } from './job-queue.contract.ts';
import { turnsContract } from './turns.contract.ts';

describeCluster('BullMQ job queue', (cluster) => {
  const open: OpenQueue = async (limits) => openClusterQueue(cluster(), limits);
  jobQueueContract(open);
  turnsContract(open);
});
