import { readFileSync, writeFileSync } from 'node:fs';
import { catalogue } from '../shared/catalogue/registry.ts';
import type { CheckSpec } from '../shared/catalogue/spec.ts';
import { readConfig } from '../shared/config.ts';
import type { Job } from '../shared/model/job.ts';
import { targetPolicyOf } from '../shared/policy.ts';
import { parseDomain, parseHttpUrl, type TargetPolicy } from '../shared/target/parse-target.ts';
import { findCheck } from '../worker/checks/registry.ts';
import { findCheckOf } from '../worker/find-check.ts';
import { type EvidenceFile, judge } from '../worker/judge.ts';
import { gatherLocally } from '../worker/run-local.ts';
import { UsageError } from './usage-error.ts';

/** Checks that can be run here, by name. */
export const localChecks: readonly CheckSpec[] = catalogue.filter(({ queue }) => queue === 'network');

export type LocalOptions = { readonly evidence?: string } & Readonly<
  Record<string, string | readonly string[] | undefined>
>;

/** Runs a check in this process and prints its report; with `evidence` it keeps what was seen in that file. */
export async function checkLocally(
  spec: CheckSpec,
  text: string,
  { evidence, ...given }: LocalOptions,
): Promise<void> {
  const config = readConfig();
  const check = findCheckOf(config)(spec.name);
  if (!check) throw new Error(`there is no ${spec.name}`);
  const file = await gatherLocally(
    check,
    { target: readTarget(spec, text, targetPolicyOf(config)), options: readOptions(spec, given) },
    config,
  );
  if (evidence !== undefined) writeFileSync(evidence, `${JSON.stringify(file, null, 2)}\n`);
  printReport(file);
}

/** Judges a file of evidence again, without the network: byte for byte the report of its run, under the rules of today. */
export function assessFile(path: string): void {
  printReport(readEvidence(readFileSync(path === '-' ? 0 : path, 'utf8')));
}

function readEvidence(text: string): EvidenceFile {
  try {
    const file = JSON.parse(text) as EvidenceFile;
    if (file.v === 1 && 'evidence' in file) return file;
  } catch (error) {
    throw new UsageError(`This is not a file of evidence: ${(error as Error).message}`);
  }
  throw new UsageError('This is not a file of evidence: it has no evidence of version 1.');
}

function printReport(file: EvidenceFile): void {
  const check = findCheck(file.check);
  if (!check) throw new UsageError(`There is no check "${file.check}".`);
  process.stdout.write(`${JSON.stringify(judge(check, file))}\n`);
}

function readTarget(spec: CheckSpec, text: string, policy: TargetPolicy): string {
  const parsed = spec.targetKind === 'url' ? parseHttpUrl(text, policy) : parseDomain(text, policy);
  if (!parsed.ok) throw new UsageError(parsed.fault.why);
  return typeof parsed.value === 'string' ? parsed.value : parsed.value.href;
}

function readOptions(spec: CheckSpec, given: Omit<LocalOptions, 'evidence'>): Job['options'] {
  const own = Object.fromEntries(
    Object.entries(given).filter(([name, value]) => name in spec.options.shape && value !== undefined),
  );
  const parsed = spec.options.safeParse(own);
  if (parsed.success) return parsed.data as Job['options'];
  throw new UsageError(
    parsed.error.issues.map(({ path, message }) => `--${String(path[0])}: ${message}`).join('\n'),
  );
}
