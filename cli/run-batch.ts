import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { CheckSpec } from '#shared/catalogue/spec';
import {
  type BatchHandle,
  type BatchLine,
  type Diagnostics,
  DiagnosticsProblem,
  problemOf,
  type TargetAnswer,
  type ToolName,
} from '../client/diagnostics.ts';
import type { RunOptions, CheckOptions } from './check-options.ts';
import { tokenOf } from './connection.ts';
import { show, warn } from './door.ts';
import { UsageError } from './outcome.ts';

type BatchRun = Pick<CheckOptions, 'resume' | 'label' | 'quiet'> & {
  readonly asked: RunOptions;
  readonly signal: AbortSignal;
};

/** Throws UsageError for options that a batch cannot have, and DiagnosticsProblem where no token is given: the service would refuse the batch. */
export function requireBatchable(options: CheckOptions): void {
  const { batch, local, cachedOnly } = options;
  if (!batch) return;
  if (local) throw new UsageError('--batch needs a service: leave --local out.');
  if (cachedOnly) throw new UsageError('--batch starts checks: leave --cached-only out.');
  if (tokenOf(options) === undefined)
    throw new DiagnosticsProblem(
      401,
      { code: 'token_required', detail: '--batch needs a token: set DIAG_TOKEN, or give --token-file.' },
      undefined,
    );
}

/**
 * Starts a batch of all targets, or finds the one whose id `--resume` has, and gives what became of each target as it ends. What interrupts it
 * leaves the batch running.
 */
export async function* askBatch(
  client: Diagnostics,
  spec: CheckSpec,
  targets: AsyncIterable<string>,
  run: BatchRun,
): AsyncGenerator<TargetAnswer<unknown>, void, void> {
  const { signal, quiet, resume } = run;
  const batch = await openBatch(client, spec, targets, run);
  if (!quiet) warn(show`Batch ${batch.batchId}`);
  try {
    for await (const line of batch.results({ signal })) yield answerOf(line);
  } catch (error) {
    const again = resume === undefined ? '' : `, or repeat this command with --resume ${resume}`;
    if (signal.aborted)
      warn(show`The batch goes on. Read it with: diag batch results ${batch.batchId}${again}`);
    throw error;
  }
}

function answerOf(line: BatchLine<unknown>): TargetAnswer<unknown> {
  const { target, index, report } = line;
  return report === null ? { target, index, problem: problemOf(line) } : { target, index, report };
}

/** What stands in the file of `--resume`: the key is written before the batch is made, so that none is made twice. */
type ResumeFile = {
  readonly diag: 1;
  readonly check: string;
  readonly options: string;
  readonly key: string;
  readonly batchId?: string;
};

async function openBatch(
  client: Diagnostics,
  spec: CheckSpec,
  targets: AsyncIterable<string>,
  { resume, label, asked, signal }: BatchRun,
): Promise<BatchHandle<unknown>> {
  const { concurrency: _ofThisMachine, onlyIfCached: _never, ...options } = asked;
  const head = { diag: 1, check: spec.name, options: JSON.stringify({ ...options, label }) } as const;
  const kept = resume === undefined ? undefined : readKept(resume, head);
  if (kept?.batchId !== undefined) return client.findBatch(kept.batchId);
  const key = kept?.key ?? randomUUID();
  const keep = (batchId?: string) =>
    resume !== undefined &&
    writeKept(resume, { ...head, key, ...(batchId === undefined ? {} : { batchId }) });
  keep();
  const list: string[] = [];
  for await (const target of targets) list.push(target);
  const wishes = { ...options, ...(label === undefined ? {} : { label }), idempotencyKey: key, signal };
  const batch = await client.batch(spec.name as ToolName, list, wishes);
  keep(batch.batchId);
  return batch;
}

function readKept(path: string, head: Pick<ResumeFile, 'check' | 'options'>): ResumeFile | undefined {
  if (!existsSync(path) || readFileSync(path, 'utf8') === '') return undefined;
  const other = new UsageError(
    `--resume: ${path} is not the state of a batch of ${head.check} with these options. Name another file.`,
  );
  let kept: ResumeFile;
  try {
    kept = JSON.parse(readFileSync(path, 'utf8')) as ResumeFile;
  } catch {
    throw other;
  }
  if (kept.check !== head.check || kept.options !== head.options || typeof kept.key !== 'string') throw other;
  return kept;
}

// In one step: a killed process leaves the old file or the new one.
function writeKept(path: string, kept: ResumeFile): void {
  try {
    writeFileSync(`${path}.part`, `${JSON.stringify(kept)}\n`);
    renameSync(`${path}.part`, path);
  } catch (error) {
    throw new UsageError(`--resume: ${(error as Error).message}`);
  }
}
