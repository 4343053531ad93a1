import type { Job } from '../model/job.ts';
import { findSpec } from './registry.ts';

/** What a check is asked where nothing differs from its default, as `askedOptions` writes it. */
export const plainOptions = '{}';

/** Checks that had no options in releases that did not keep them with a report. */
export const everPlainChecks: readonly string[] = ['domain-health', 'security-header-check'];

/**
 * The options of a run that differ from the default of its check, as JSON with sorted names: equal texts are equal questions.
 * @param options as a job has them: parsed, with every default in place
 */
export function askedOptions(check: string, options: Job['options']): string {
  const usual = (findSpec(check)?.options.safeParse({}).data ?? {}) as Job['options'];
  const asked = Object.keys(options)
    .toSorted()
    .filter((name) => options[name] !== undefined && textOf(options[name]) !== textOf(usual[name]))
    .map((name) => [name, options[name]]);
  return JSON.stringify(Object.fromEntries(asked));
}

function textOf(value: Job['options'][string] | undefined): string {
  return JSON.stringify(value) ?? '';
}
