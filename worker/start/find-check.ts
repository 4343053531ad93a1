import { readFileSync } from 'node:fs';
import { type Config, ConfigError } from '#shared/settings/config';
import { type FindCheck, makeFindCheck } from '../checks/registry.ts';

/** The checks as the settings want them. Throws ConfigError for a preload list that is none. */
export function findCheckOf({ HSTS_PRELOAD_FILE }: Config): FindCheck {
  try {
    return makeFindCheck(
      HSTS_PRELOAD_FILE === undefined ? undefined : readFileSync(HSTS_PRELOAD_FILE, 'utf8'),
    );
  } catch (error) {
    throw new ConfigError(`HSTS_PRELOAD_FILE: ${(error as Error).message}`);
  }
}
