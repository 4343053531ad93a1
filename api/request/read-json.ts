import { z } from 'zod';
import { hasBody } from '#shared/lifecycle/connections';
import { type InputError, Problem } from '#shared/model/problem';
import { faultAt, invalidBody, mostFaults } from './faults.ts';
import type { Bodies, BodyRequest } from './read-body.ts';
import { readQuery } from './read-query.ts';

/** An object of a body as far as it was understood: the fields that are as they should be, and what is wrong with all the others. */
export type ReadFields<Shape extends z.ZodRawShape> = {
  readonly fields: { readonly [Name in keyof Shape]?: z.infer<Shape[Name]> };
  /** At most 50. */
  readonly faults: readonly InputError[];
};

/**
 * Reads a JSON body field by field, so that what is wrong inside of one field is reported together with what is wrong elsewhere. Fields that the
 * schema does not have are faults. Throws the Problem of what is no JSON, or no object.
 * @param text within the bounds of its kind
 */
export function readFields<Shape extends z.ZodRawShape>(
  text: string,
  schema: z.ZodObject<Shape>,
): ReadFields<Shape> {
  return readFieldsOf(parseObject(text), schema);
}

/** The same of an object that was read already. */
export function readFieldsOf<Shape extends z.ZodRawShape>(
  value: Readonly<Record<string, unknown>>,
  schema: z.ZodObject<Shape>,
): ReadFields<Shape> {
  const faults = [...unsafeNames(value)];
  const read = Object.entries<z.core.$ZodType>(schema.shape).flatMap(([name, field]) => {
    const parsed = z.safeParse(field, value[name]);
    if (parsed.success) return parsed.data === undefined ? [] : [[name, parsed.data] as const];
    faults.push(...parsed.error.issues.slice(0, mostFaults).flatMap((issue) => faultsOf(name, issue)));
    return [];
  });
  for (const name of Object.keys(value)) {
    if (faults.length >= mostFaults) break;
    if (!Object.hasOwn(schema.shape, name)) faults.push(...unknownAt([], name));
  }
  return {
    fields: Object.fromEntries(read) as ReadFields<Shape>['fields'],
    faults: faults.slice(0, mostFaults),
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>;
  throw invalidBody([faultAt([], 'The body is no JSON object.')]);
}

/** A value of JSON. Throws the Problem of what is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const detail = 'The body is not valid JSON.';
    throw new Problem('invalid_request', detail, { errors: [faultAt([], detail)], cause: error });
  }
}

/** Deeper than any body may be: a counter that missed a level must not become a full stack. */
const deepest = 40;

/** A field with this name slips by a schema, as every object has one that is not its own. */
export function unsafeNames(value: unknown, path: readonly PropertyKey[] = []): readonly InputError[] {
  if (typeof value !== 'object' || value === null) return [];
  if (path.length > deepest) return [faultAt(path, 'This is nested too deep.')];
  const own = Object.hasOwn(value, '__proto__') ? [faultAt([...path, '__proto__'], unknownField)] : [];
  const inner = Object.entries(value).flatMap(([name, one]) =>
    typeof one === 'object' && name !== '__proto__' ? unsafeNames(one, [...path, name]) : [],
  );
  return [...own, ...inner];
}

const unknownField = 'This field is not known here.';
const longestName = 60;

function unknownAt(path: readonly PropertyKey[], name: string): readonly InputError[] {
  return name === '__proto__' ? [] : [faultAt([...path, name.slice(0, longestName)], unknownField)];
}

function faultsOf(field: string, issue: z.core.$ZodIssue): readonly InputError[] {
  const path = [field, ...issue.path];
  if (issue.code !== 'unrecognized_keys') return [faultAt(path, issue.message)];
  return issue.keys.slice(0, mostFaults).flatMap((name) => unknownAt(path, name));
}

/**
 * Reads the fields of a form of our own pages: one of each of these names, as text. Call it last, when everything else about the request has been
 * judged. Throws the Problem of a body that is no such form, and of fields that the form does not have.
 */
export async function readForm<Name extends string>(
  bodies: Bodies,
  asked: BodyRequest,
  names: readonly Name[],
  repeatable: readonly string[] = [],
): Promise<{ readonly [name in Name]?: string }> {
  if (!hasBody(asked.request.headers)) return {};
  const { text } = await bodies.read(asked, 'form');
  // A form sends every field that it has, also one that is empty.
  const filled = text
    .split('&')
    .filter((pair) => !pair.endsWith('='))
    .join('&');
  const { values, faults } = readQuery(filled, names, repeatable);
  if (faults.length > 0)
    throw invalidBody(faults.map((fault): InputError => ({ ...fault, in: 'body', name: `/${fault.name}` })));
  return Object.fromEntries([...values].map(([name, all]) => [name, all.join(' ')])) as {
    [name in Name]?: string;
  };
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
