import type { Checks, Readiness } from '../../model/readiness.ts';

/**
 * The readiness of several processes as one: ready while one of them is, and with a fault wherever one has it.
 * @param found of each process; undefined for one that does not answer, or is being started
 */
export function mergeReadiness(found: readonly (Readiness | undefined)[]): Readiness {
  const there = found.filter((each) => each !== undefined);
  const checks: Record<string, Checks[string]> = {};
  for (const [part, state] of there.flatMap((each) => Object.entries(each.checks)))
    if (checks[part] === undefined || checks[part] === true) checks[part] = state;
  const away = found.length - there.length;
  return {
    isReady: there.some(({ isReady }) => isReady),
    checks: { ...checks, processes: away === 0 || `${away} of ${found.length} do not answer` },
    about: Object.assign({}, ...there.map(({ about }) => about)) as Readiness['about'],
  };
}
