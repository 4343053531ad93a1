import { kindOfFailure } from '../../../probes/failure-kinds.ts';

/** True for a failure of a request that says that we could not look, or may not, not that there is nothing. */
export function isUnheardCode(code: string): boolean {
  return ['uncertain', 'policy'].includes(kindOfFailure(code));
}
