import { hasBody } from '#shared/lifecycle/connections';
import type { Fault } from '#shared/model/problem';
import { invalidBody } from './faults.ts';
import type { Bodies, BodyRequest } from './read-body.ts';
import { readQuery } from './read-query.ts';

/**
 * Reads the fields of a form of our own pages: one of each of these names, as text. Call it last, when everything else about the request has been
 * judged. Throws the Problem of a body that is no such form, and of fields that the form does not have.
 */
export async function readForm<Name extends string>(
  bodies: Bodies,
  asked: BodyRequest,
  names: readonly Name[],
): Promise<{ readonly [name in Name]?: string }> {
  if (!hasBody(asked.request.headers)) return {};
  const { text } = await bodies.read(asked, 'form');
  // A form sends every field that it has, also one that is empty.
  const filled = text
    .split('&')
    .filter((pair) => !pair.endsWith('='))
    .join('&');
  const { values, faults } = readQuery(filled, names, []);
  if (faults.length > 0)
    throw invalidBody(faults.map((fault): Fault => ({ ...fault, in: 'body', name: `/${fault.name}` })));
  return Object.fromEntries([...values].map(([name, [value = '']]) => [name, value])) as {
    [name in Name]?: string;
  };
}
