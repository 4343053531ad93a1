import type { CheckSpec } from '../catalogue/spec.ts';
import type { Config } from './config.ts';

/** Whether the operator has a check switched on; most need no switch. */
export function isOffered(config: Config, { switchedOnBy }: Pick<CheckSpec, 'switchedOnBy'>): boolean {
  return switchedOnBy === undefined || config[switchedOnBy];
}
