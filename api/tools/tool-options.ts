import { readOptions } from '#shared/catalogue/read-options';
import { findSpec } from '#shared/catalogue/registry';
import type { Job } from '#shared/model/job';

/** The options of a question that differ from what the check takes anyway. */
export function toolOptions({ check, options }: Pick<Job, 'check' | 'options'>): Job['options'] {
  const spec = findSpec(check);
  const usual = spec ? readOptions(spec, {}) : undefined;
  if (usual === undefined || !('options' in usual)) return options;
  const isUsual = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) === JSON.stringify(usual.options[name]);
  return Object.fromEntries(Object.entries(options).filter((option) => !isUsual(option)));
}
