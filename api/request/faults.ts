import { z } from 'zod';
import { type Fault, Problem } from '#shared/model/problem';
import { describeFaults } from './read-query.ts';

/** Faults of a body that are told. */
export const mostFaults = 50;

/** The Problem of faults in a body. @param faults at most 50 are told */
export function invalidBody(faults: readonly Fault[]): Problem {
  const told = faults.slice(0, mostFaults);
  return new Problem('invalid_request', describeFaults(told), { errors: told });
}

/** A fault at a place in the body. @param path the names and indexes that lead there */
export function faultAt(path: readonly PropertyKey[], detail: string): Fault {
  return { in: 'body', name: pointerTo(path), detail };
}

/** The JSON Pointer of a place (RFC 6901 §3): "/targets/3"; "" for the whole body. */
function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

const longestText = 2048;
const mostItems = 50;
const valueFault = `Give a text, a number, true or false, or a list of texts (${mostItems} at most).`;
const text = z.string().max(longestText);

/** Options in a JSON body: the names of the query with real types. What each of them takes is the check's own to say. */
export const optionValues = z.record(
  z.string(),
  z.union([text, z.number(), z.boolean(), z.array(text).max(mostItems)], valueFault),
);

export type OptionValues = z.infer<typeof optionValues>;
