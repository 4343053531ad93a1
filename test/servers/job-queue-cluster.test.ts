import { jobQueueContract, type OpenQueue } from '../contract/job-queue.contract.ts';
import { turnsContract } from '../contract/turns.contract.ts';
import { openClusterQueue } from '../kit/bullmq-queue.ts';
import { describeCluster } from '../kit/describe-cluster.ts';

describeCluster('BullMQ job queue', (cluster) => {
  const open: OpenQueue = async (limits) => openClusterQueue(cluster(), limits);
  jobQueueContract(open);
  turnsContract(open);
});
