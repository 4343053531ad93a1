import type { Check } from './check.ts';
import { redirectCheck } from './redirect-check/index.ts';

const checks: readonly Check[] = [redirectCheck];

/** The work of a check, by its name. */
export function findCheck(name: string): Check | undefined {
  return checks.find(({ spec }) => spec.name === name);
}
