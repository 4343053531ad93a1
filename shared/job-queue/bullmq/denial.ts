import type { Redis } from 'ioredis';
import type { QueueName } from '../../model/job.ts';
import type { QueueWorker } from '../port.ts';
import { deniedKey } from './gate.ts';

const repeatMs = 5000;
const aliveS = 15;

/** Tells every process, as long as this worker lives, why it does not serve a queue that it should. */
export function startDenial(redis: Redis, queue: QueueName, fix: string): QueueWorker {
  const tell = () => void redis.set(deniedKey(queue), fix, 'EX', aliveS).catch(() => undefined); // said again in a moment
  tell();
  const timer = setInterval(tell, repeatMs);
  return { close: async () => clearInterval(timer) };
}
