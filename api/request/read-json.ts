import type { z } from 'zod';
import { type Fault, Problem } from '#shared/model/problem';
import { describeFaults } from './read-query.ts';

/** Faults of a body that are told. */
const mostFaults = 50;

/** Reads a JSON body by its schema, which is a strict one: unknown fields are faults. Throws the Problem that names each fault by its JSON Pointer. */
export function readJson<Schema extends z.ZodType>(text: string, schema: Schema): z.infer<Schema> {
  const value = parse(text);
  const parsed = schema.safeParse(value);
  const faults = [...unsafeNames(value), ...(parsed.success ? [] : parsed.error.issues.flatMap(faultsOf))];
  if (faults.length > 0) throw invalidBody(faults);
  return parsed.data as z.infer<Schema>;
}

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

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const detail = 'The body is not valid JSON.';
    throw new Problem('invalid_request', detail, {
      errors: [{ in: 'body', name: '', detail }],
      cause: error,
    });
  }
}

/** An own field with this name may slip by a schema, as every object has one that is not its own. */
function unsafeNames(value: unknown): readonly Fault[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (name === '__proto__') return [faultAt([name], unknownField)];
    const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
    return isObject && Object.hasOwn(inner, '__proto__') ? [faultAt([name, '__proto__'], unknownField)] : [];
  });
}

const unknownField = 'This field is not known here.';

function faultsOf(issue: z.core.$ZodIssue): readonly Fault[] {
  if (issue.code !== 'unrecognized_keys') return [faultAt(issue.path, issue.message)];
  const names = issue.keys.filter((name) => name !== '__proto__');
  return names.map((name) => faultAt([...issue.path, name.slice(0, 60)], unknownField));
}
