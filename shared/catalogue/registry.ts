import { redirectCheck } from './redirect-check/spec.ts';
import type { CheckSpec } from './spec.ts';

/** Every check, in the order of the documentation. */
export const catalogue: readonly CheckSpec[] = [redirectCheck];

/** The promise of a check, by its name. */
export function findSpec(name: string): CheckSpec | undefined {
  return catalogue.find((spec) => spec.name === name);
}
