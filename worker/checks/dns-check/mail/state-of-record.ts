import type { MailMode } from '#shared/catalogue/dns-check/mail/report';
import type { PartState } from '#shared/catalogue/dns-check/part-state';
import { kindOfFailure } from '#shared/model/failure';
import type { Observation } from '../../../dns/observation.ts';

type JudgedRecord = {
  readonly observation: Observation;
  readonly texts: readonly string[];
  /** null where it breaks its grammar. */
  readonly value: object | null;
  readonly faults: readonly unknown[];
};

/** The state of a record at a name of its own. */
export function stateOfRecord(
  { observation, texts, value, faults }: JudgedRecord,
  mode: MailMode,
): PartState {
  if (mode === 'parked') return 'not-applicable';
  if (observation.outcome === 'unknown') return 'unknown';
  if (texts.length === 0 && faults.length === 0) return 'missing';
  return value === null ? 'invalid' : 'ok';
}

/** True for a failure of a request that says that we could not look, or may not, not that there is nothing. */
export function isUnheardCode(code: string): boolean {
  return ['uncertain', 'policy'].includes(kindOfFailure(code));
}
