import { type QueueName, randomId } from '../../model/job.ts';
import type { Slots } from '../../ports/job-queue.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { handOver } from './hand-over.ts';
import type { ShardQueues, QueuesByShard } from './shard-queues.ts';

const heartbeatMs = 5000;

type Beating = {
  readonly queuesByShard: QueuesByShard;
  readonly queue: QueueName;
  readonly slots: Slots;
  readonly log: Logger;
};

/** Tells the other processes that a worker of a queue is alive, and how many slots it has. */
export type Heartbeat = {
  /** True once Redis has taken one: of a cluster every shard, or at the second beat any, because a shard that is away stops no other. */
  isHeard(): boolean;
  /** Tells that its slots are gone. */
  stop(): Promise<unknown>;
};

/** Begins at once. Each beat also hands free slots to the jobs whose turn it is: what a process that died should have handed on waits for one beat. */
export function startHeartbeat({ queuesByShard, queue, slots, log }: Beating): Heartbeat {
  const told = new Set<ShardQueues>();
  const id = randomId();
  const nameOf = (count: number) => `${id} ${count}`;
  let last = slots.now();
  const tell = async ({ queues, gate }: ShardQueues, count: number, name = nameOf(count)) =>
    handOver(queues, gate, await gate.beat(queue, name, count));
  /** Under its new name first: a queue whose only worker leaves has none. */
  const tellChange = async (shardQueues: ShardQueues, count: number, before: number) => {
    await tell(shardQueues, count);
    if (before !== count) await tell(shardQueues, 0, nameOf(before));
  };
  let beats = 0;
  const beat = () => {
    beats += 1;
    const [before, count] = [last, slots.now()];
    last = count;
    for (const shardQueues of queuesByShard)
      tellChange(shardQueues, count, before).then(
        () => told.add(shardQueues),
        (error: unknown) => log.debug({ err: error }, 'heartbeat not sent'),
      );
  };
  beat();
  const timer = setInterval(beat, heartbeatMs);
  return {
    isHeard: () => told.size === queuesByShard.length || (beats > 1 && told.size > 0),
    stop() {
      clearInterval(timer);
      return Promise.allSettled(queuesByShard.map((shardQueues) => tell(shardQueues, 0, nameOf(last))));
    },
  };
}
