import type { z } from 'zod';
import type { Job } from '../model/job.ts';
import type { CheckSpec } from './spec.ts';

/** Options as a job has them, or what is wrong with them. */
export type OptionsRead =
  | { readonly options: Job['options'] }
  | { readonly issues: readonly z.core.$ZodIssue[] };

/**
 * Reads the options of a check as a caller gave them. One that comes to nothing is left out, so that equal questions have equal options.
 * @param given name → its text, or for a repeatable one its texts
 */
export function readOptions({ options }: Pick<CheckSpec, 'options'>, given: object): OptionsRead {
  const parsed = options.safeParse(given);
  if (!parsed.success) return { issues: parsed.error.issues };
  const known = Object.entries(parsed.data).filter(([, value]) => value !== undefined);
  return { options: Object.fromEntries(known) as Job['options'] };
}
