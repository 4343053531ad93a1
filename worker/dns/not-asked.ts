import { isNotAsked, outOfTime } from '#shared/model/failure';
import type { DnsAnswer, DnsAskOptions, DnsQuestion } from '../probes/dns/port.ts';
import type { Refusal } from './judge-record-name.ts';

type Failure = Extract<DnsAnswer, { kind: 'failure' }>;

/** The answer to a question that was not waited for, or never sent, for a reason of ours: nothing is known of it. */
export function unheard(question: DnsQuestion, reason: string, options?: DnsAskOptions): Failure {
  return { kind: 'failure', question, code: 'timeout', reason, server: options?.server ?? '' };
}

/**
 * The answer to a question that was never sent, as its name is not public. A name that is not in the public DNS reads as one that does not
 * exist; of an address that is not public, nothing is known.
 */
export function refused(question: DnsQuestion, { kind, why }: Refusal): Failure {
  const code = kind === 'name' ? 'invalid-name' : 'target-address-not-allowed';
  return { kind: 'failure', question, code, reason: `the name ${why}`, server: '' };
}

/** True for the answer to a question that no name server could be asked: the name is none, or not public. */
export function isNoPublicName({ code }: Pick<Failure, 'code'>): boolean {
  return code === 'invalid-name';
}

/** The answer to a question that was held back, so that the target cannot use us against others. */
export function heldBack(question: DnsQuestion, reason: string, options?: DnsAskOptions): Failure {
  return { kind: 'failure', question, code: 'budget-spent', reason, server: options?.server ?? '' };
}

/** True where no server is to blame: our time or our budget ended, or our own network has no way there. */
export function isOurs({ code, reason }: Pick<Failure, 'code' | 'reason'>): boolean {
  return isNotAsked(code) || code === 'network-unreachable' || reason === outOfTime;
}
