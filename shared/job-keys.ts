import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { CheckSpec } from './catalogue/spec.ts';
import type { Config } from './config.ts';
import { type Job, makeJobKey } from './model/job.ts';
import { schemaVersion } from './model/report.ts';

/** The jobKey of a question to a check. API and workers must come to the same one. */
export type JobKeyOf = {
  (spec: KeySpec, target: string, options: Job['options']): string;
  /** What goes into the key beside the question: a job carries it, so that a worker can make the same key. */
  readonly versionOf: (spec: KeySpec) => string;
};

type KeySpec = Pick<CheckSpec, 'name' | 'queue' | 'rulesVersion' | 'engine'>;

/** Makes the function that names questions: what changes answers beside target and options is part of the name. */
export function openJobKeys(config: Config): JobKeyOf {
  const resolvers = config.DNS_SERVERS?.join(',') ?? '';
  const preloadList = config.HSTS_PRELOAD_FILE === undefined ? '' : digestOfFile(config.HSTS_PRELOAD_FILE);
  const browser = config.BROWSER_PATH ?? '';
  const versionOf = ({ queue, rulesVersion, engine = '' }: KeySpec) =>
    [schemaVersion, rulesVersion, resolvers, engine, queue === 'browser' ? browser : preloadList].join('/');
  const keyOf = (spec: KeySpec, target: string, options: Job['options']) =>
    makeJobKey({ check: spec.name, target, options, keyVersion: versionOf(spec) });
  return Object.assign(keyOf, { versionOf });
}

/** A short digest of what is in a file. Throws where it cannot be read. */
export function digestOfFile(path: string): string {
  return hash('sha256', readFileSync(path), 'base64url').slice(0, 8);
}
