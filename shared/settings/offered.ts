import type { CheckSpec } from '../catalogue/spec.ts';
import type { Job } from '../model/job.ts';
import type { Config } from './config.ts';

/** Whether the operator has a check switched on; most need no switch. */
export function isOffered(config: Config, { switchedOnBy }: Pick<CheckSpec, 'switchedOnBy'>): boolean {
  return switchedOnBy === undefined || config[switchedOnBy];
}

/** Points of the `scans` quota for a run, with the checks that it asks too. @param isSwitchedOn whether the operator has a check switched on */
export function costOf(
  isSwitchedOn: (spec: CheckSpec) => boolean,
  spec: CheckSpec,
  options: Job['options'],
): number {
  const others = spec.asksToo?.(options).filter(isSwitchedOn) ?? [];
  return others.reduce((sum, other) => sum + other.cost({}), spec.cost(options));
}
