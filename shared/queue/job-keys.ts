import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { CheckSpec } from '../catalogue/spec.ts';
import { type Job, makeJobKey } from '../model/job.ts';
import { schemaVersion } from '../model/report.ts';
import type { Config } from '../settings/config.ts';

/** The jobKey of a question to a check. API and workers must come to the same one. */
export type JobKeyOf = {
  /** @param account whose reports alone may answer; undefined: everybody's */
  (spec: KeySpec, target: string, options: Job['options'], account: string | undefined): string;
  /** What goes into the key beside the question: a job carries it, so that a worker can make the same key. */
  readonly versionOf: (spec: KeySpec, account: string | undefined) => string;
};

type KeyOf = (...question: Parameters<JobKeyOf>) => string;
type KeySpec = Pick<CheckSpec, 'name' | 'queue' | 'rulesVersion' | 'engine' | 'switchedOnBy'>;

/** Makes the function that names questions: what changes answers beside target and options is part of the name. */
export function openJobKeys(config: Config): JobKeyOf {
  const resolvers = config.DNS_SERVERS?.join(',') ?? '';
  const preloadList = config.HSTS_PRELOAD_FILE === undefined ? '' : digestOfFile(config.HSTS_PRELOAD_FILE);
  const browser = config.BROWSER_PATH ?? '';
  const mail = config.PROBE_SMTP ? [`mail=${config.SMTP_HELO ?? ''}`] : [];
  const versionOf = (
    { queue, rulesVersion, engine = '', switchedOnBy }: KeySpec,
    account: string | undefined,
  ) => {
    const files = queue === 'browser' ? browser : preloadList;
    // What is made of other reports says whether mail hosts were talked to.
    const hosts = queue === 'composite' || switchedOnBy === 'PROBE_SMTP' ? mail : [];
    const owner = account === undefined ? [] : [`account=${account}`];
    return [schemaVersion, rulesVersion, resolvers, engine, files, ...hosts, ...owner].join('/');
  };
  const keyOf: KeyOf = (spec, target, options, account) =>
    makeJobKey({ check: spec.name, target, options, keyVersion: versionOf(spec, account) });
  return Object.assign(keyOf, { versionOf });
}

/** A short digest of what is in a file. Throws where it cannot be read. */
export function digestOfFile(path: string): string {
  return hash('sha256', readFileSync(path), 'base64url').slice(0, 8);
}
