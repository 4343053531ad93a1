import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { CheckSpec } from './catalogue/spec.ts';
import type { Config } from './config.ts';
import { type Job, makeJobKey } from './model/job.ts';
import { schemaVersion } from './model/report.ts';

/** The jobKey of a question to a check. API and workers must come to the same one. */
export type JobKeyOf = (
  spec: Pick<CheckSpec, 'name' | 'queue' | 'rulesVersion' | 'engine'>,
  target: string,
  options: Job['options'],
) => string;

/** Makes the function that names questions: what changes answers beside target and options is part of the name. */
export function openJobKeys(config: Config): JobKeyOf {
  const resolvers = config.DNS_SERVERS?.join(',') ?? '';
  const preloadList = config.HSTS_PRELOAD_FILE === undefined ? '' : digestOfFile(config.HSTS_PRELOAD_FILE);
  const browser = config.BROWSER_PATH ?? '';
  return ({ name, queue, rulesVersion, engine = '' }, target, options) => {
    const own = queue === 'browser' ? browser : preloadList;
    const keyVersion = [schemaVersion, rulesVersion, resolvers, engine, own].join('/');
    return makeJobKey({ check: name, target, options, keyVersion });
  };
}

function digestOfFile(path: string): string {
  return hash('sha256', readFileSync(path), 'base64url').slice(0, 8);
}
