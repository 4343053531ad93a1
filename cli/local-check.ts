import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readOptions as readCheckOptions } from '#shared/catalogue/read-options';
import type { CheckSpec } from '#shared/catalogue/spec';
import type { Job } from '#shared/model/job';
import { jsonText } from '#shared/render/visible-text';
import { readConfig } from '#shared/settings/config';
import { targetPolicyOf } from '#shared/settings/policy';
import { parseDomain, parseHttpUrl, type TargetPolicy, tellFault } from '#shared/targets/parse-target';
import type { Check } from '../worker/checks/check.ts';
import { findCheck } from '../worker/checks/registry.ts';
import { type EvidenceFile, judge } from '../worker/run/judge.ts';
import { findCheckOf } from '../worker/start/find-check.ts';
import { gatherLocally } from '../worker/start/run-local.ts';
import { sayForProgram } from './door.ts';
import { UsageError } from './outcome.ts';

type LocalOptions = { readonly local?: true; readonly evidence?: string };

/** Runs a check on one target in this process, prints its report, and keeps what was seen in the file `evidence`. */
export async function checkLocally(
  spec: CheckSpec,
  targets: readonly string[],
  { local, evidence, ...given }: LocalOptions,
): Promise<void> {
  const [text] = targets;
  if (!local || text === undefined || targets.length > 1)
    throw new UsageError('--evidence works with --local and with one target only.');
  if (evidence !== undefined) atFile(() => tryToWrite(evidence), '--evidence');
  const config = readConfig();
  const check = await findCheckOf(config)(spec.name);
  if (!check) throw new Error(`there is no ${spec.name}`);
  const file = await gatherLocally(
    check,
    { target: readTarget(spec, text, targetPolicyOf(config)), options: readOptions(spec, given) },
    config,
  );
  printReport(check, file);
  // Last: a disk may be full meanwhile, and the run is worth its report.
  if (evidence !== undefined)
    atFile(() => writeFileSync(evidence, `${JSON.stringify(file, null, 2)}\n`), '--evidence');
}

/** Judges a file of evidence again, without the network: byte for byte the report of its run, under the rules of today. */
export async function assessFile(path: string): Promise<void> {
  const file = readEvidence(atFile(() => readFileSync(path === '-' ? 0 : path, 'utf8'), 'assess'));
  const check = await findCheck(file.check);
  if (!check) throw new UsageError(`There is no check "${file.check}".`);
  try {
    printReport(check, file);
  } catch (error) {
    // What a check's own gather has seen can always be judged, so the file is at fault.
    throw new UsageError(`This is not a file of evidence of ${file.check}: ${(error as Error).message}`);
  }
}

function tryToWrite(path: string): void {
  const isThere = existsSync(path);
  closeSync(openSync(path, 'a'));
  if (!isThere) rmSync(path);
}

/** Does something with a file that the command line names; what the system says against it is the caller's fault. */
function atFile<T>(act: () => T, asked: string): T {
  try {
    return act();
  } catch (error) {
    throw new UsageError(`${asked}: ${(error as Error).message}`);
  }
}

function readEvidence(text: string): EvidenceFile {
  try {
    const file = JSON.parse(text) as EvidenceFile | null;
    if (file?.v === 1 && 'evidence' in file) return file;
  } catch (error) {
    throw new UsageError(`This is not a file of evidence: ${(error as Error).message}`);
  }
  throw new UsageError('This is not a file of evidence: it has no evidence of version 1.');
}

function printReport(check: Check, file: EvidenceFile): void {
  sayForProgram(jsonText(judge(check, file)));
}

function readTarget(spec: CheckSpec, text: string, policy: TargetPolicy): string {
  const parsed = spec.targetKind === 'url' ? parseHttpUrl(text, policy) : parseDomain(text, policy);
  if (!parsed.ok) throw new UsageError(tellFault(parsed.fault));
  return typeof parsed.value === 'string' ? parsed.value : parsed.value.href;
}

function readOptions(spec: CheckSpec, given: object): Job['options'] {
  const own = Object.fromEntries(
    Object.entries(given).filter(([name, value]) => name in spec.options.shape && value !== undefined),
  );
  const read = readCheckOptions(spec, own);
  if ('options' in read) return read.options;
  throw new UsageError(read.issues.map(({ path, message }) => `--${String(path[0])}: ${message}`).join('\n'));
}
