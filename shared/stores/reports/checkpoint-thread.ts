// The thread that copies the log of writes into the database file (`checkpoints.ts`): once for each message, which it answers.
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { CheckpointAnswer, CheckpointStart } from './checkpoints.ts';

const { path } = workerData as CheckpointStart;
const database = new DatabaseSync(path, { timeout: 500 });
database.exec('PRAGMA synchronous = NORMAL');

parentPort?.on('message', () => parentPort?.postMessage(checkpoint()));

function checkpoint(): CheckpointAnswer {
  try {
    // Passive: it blocks neither readers nor writers, and waits for neither.
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    return {};
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
