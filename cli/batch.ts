import { jsonText } from '#shared/render/visible-text';
import type { BatchStanding } from '../client/diagnostics.ts';
import { openServer, type ServerOptions } from './connection.ts';
import { say, sayForProgram, show, warn } from './door.ts';
import { exitStatus } from './exit-status.ts';
import { UsageError } from './outcome.ts';

type Output = { readonly output: 'table' | 'json' };

/** Prints the batches of the account. */
export async function printBatches({ output, ...options }: ServerOptions & Output): Promise<void> {
  const all: BatchStanding[] = [];
  for await (const batch of openServer(options).batches()) all.push(batch);
  if (output === 'json') return sayForProgram(jsonText(all, 2));
  for (const batch of all) say(rowOf(batch));
}

const longestWaitS = 50;

/** Prints where a batch stands. */
export async function printBatch(
  batchId: string,
  { output, wait, ...options }: ServerOptions & Output & { readonly wait?: true },
): Promise<void> {
  const batch = openServer(options).findBatch(batchId);
  let standing = await batch.show();
  while (wait && standing.endedAt === null) standing = await batch.show({ waitS: longestWaitS });
  if (output === 'json') return sayForProgram(jsonText(standing, 2));
  say(rowOf(standing));
}

/** Prints a line for each target as it ends. */
export async function printResults(
  batchId: string,
  { after, ...options }: ServerOptions & { readonly after?: string },
): Promise<number> {
  if (after !== undefined && !/^\d{1,9}$/.test(after))
    throw new UsageError(`--after: "${after}" is not the cursor of a line.`);
  const lines = openServer(options)
    .findBatch(batchId)
    .results(after === undefined ? {} : { after });
  let isWhole = true;
  for await (const line of lines) {
    isWhole &&= line.report !== null && line.report.state !== 'failed';
    sayForProgram(jsonText(line));
  }
  return isWhole ? exitStatus.ok : exitStatus.incomplete;
}

/** Cancels a batch. */
export async function cancelBatch(batchId: string, options: ServerOptions): Promise<void> {
  await openServer(options).findBatch(batchId).cancel();
  warn(show`Batch ${batchId} is cancelled.`);
}

function rowOf(batch: BatchStanding) {
  const { batchId, createdAt, state, check, label, total, done, refused, failed, cancelled } = batch;
  const ended = done + refused + failed + cancelled;
  const left = batch.remainingSeconds === null ? '' : `, about ${batch.remainingSeconds} s left`;
  return show`${batchId}  ${createdAt}  ${state.padEnd(9)}  ${check.padEnd(21)}  ${ended} of ${total}: ${done} done, ${refused} refused, ${failed} failed, ${cancelled} cancelled${left}  ${label ?? ''}`;
}
