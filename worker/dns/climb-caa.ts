import type { DnsAnswer } from '../probes/dns/port.ts';
import { ancestorsOf } from './name.ts';
import { readAnswer } from './read-answer.ts';
import { type Caa, readAll, readCaa } from './record-values.ts';

/** Where a CA ends up that looks for CAA. `at` is the name that has the records: an alias's are at its target. */
export type CaaClimb =
  | { readonly state: 'found'; readonly at: string; readonly records: readonly Caa[] }
  | { readonly state: 'missing' }
  | { readonly state: 'unknown'; readonly why: string };

/** How many names above a name are asked; a name of more labels is made to cost questions. */
export const caaStepLimit = 16;

/** The names that a CA asks for CAA, in its order: the name itself, then each above it but the root (RFC 8659 §3). */
export function caaNamesOf(name: string): readonly string[] {
  return [name, ...ancestorsOf(name).filter((above) => above !== '')].slice(0, caaStepLimit + 1);
}

/**
 * Climbs from a name towards the root until one has CAA records (RFC 8659 §3); a name that gives no answer ends the climb.
 * @param answers to the CAA questions of `caaNamesOf(name)`, in any order
 */
export function climbCaa(name: string, answers: readonly DnsAnswer[]): CaaClimb {
  for (const step of [name, ...ancestorsOf(name).filter((above) => above !== '')]) {
    const answer = answers.find(({ question }) => question.name === step);
    if (!answer)
      return { state: 'unknown', why: `CAA of ${step}: it was not asked, as the name has too many labels` };
    const reading = readAnswer(answer);
    if (reading.state === 'unknown') return { state: 'unknown', why: `CAA of ${step}: ${reading.why}` };
    if (reading.state === 'found')
      return {
        state: 'found',
        at: reading.records[0]?.name ?? step,
        records: readAll(reading.records, readCaa),
      };
  }
  return { state: 'missing' };
}
