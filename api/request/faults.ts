import { describeFaults, type InputError, Problem } from '#shared/model/problem';

/** Faults of a body that an answer names, at most. */
export const mostFaults = 50;

/** The Problem of faults in a body. @param faults at most 50 are reported */
export function invalidBody(faults: readonly InputError[]): Problem {
  const told = faults.slice(0, mostFaults);
  return new Problem('invalid_request', describeFaults(told), { errors: told });
}

/** A fault at a place in the body. @param path the names and indexes that lead there */
export function faultAt(path: readonly PropertyKey[], detail: string): InputError {
  return { ...placeIn(path), detail };
}

/** A place in the body. */
export function placeIn(path: readonly PropertyKey[]): Pick<InputError, 'in' | 'name'> {
  return { in: 'body', name: pointerTo(path) };
}

/** The JSON Pointer of a place (RFC 6901 §3): "/targets/3"; "" for the whole body. */
function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
