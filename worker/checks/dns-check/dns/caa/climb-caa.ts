import { ancestorsOf } from '../../../../dns/name.ts';
import { readAnswer } from '../read-answer.ts';
import { type Caa, readAll, readCaa } from '../record-values.ts';
import type { DnsSight } from '../sight.ts';

/** Where a CA ends up that looks for CAA. */
export type CaaClimb =
  | { readonly state: 'found'; readonly at: string; readonly records: readonly Caa[] }
  | { readonly state: 'missing' }
  | { readonly state: 'unknown'; readonly why: string };

/** Climbs from the domain towards the root until a name has CAA records (RFC 8659 §3); a name that gives no answer ends the climb. */
export function climbCaa({ domain, apex, evidence }: DnsSight): CaaClimb {
  const steps = [
    { name: domain, reading: apex.CAA },
    ...evidence.ancestors.flatMap(({ name, caa }) => (caa ? [{ name, reading: readAnswer(caa) }] : [])),
  ];
  for (const { name, reading } of steps) {
    if (reading.state === 'unknown') return { state: 'unknown', why: `CAA of ${name}: ${reading.why}` };
    if (reading.state === 'found')
      // The records of an alias stand at its target.
      return {
        state: 'found',
        at: reading.records[0]?.name ?? name,
        records: readAll(reading.records, readCaa),
      };
  }
  const unasked = ancestorsOf(domain).find(
    (name) => name !== '' && !steps.some((step) => step.name === name),
  );
  return unasked === undefined
    ? { state: 'missing' }
    : { state: 'unknown', why: `CAA of ${unasked}: it was not asked, as the name has too many labels` };
}
