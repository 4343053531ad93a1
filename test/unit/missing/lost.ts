import type { Json } from '#shared/model/verdict';

/** Evidence in which one thing was not seen, by the name of that thing. */
export type Lost<E> = readonly (readonly [name: string, evidence: E])[];

/** A domain or URL of which a check has seen everything, with all ways in which something of it is not seen. */
export type Sight<E> = { readonly name: string; readonly evidence: E; readonly lost: () => Lost<E> };

/** Evidence goes through JSON, as it does when it is kept: what is undefined is left out. */
export function kept<E>(evidence: E): E {
  return JSON.parse(JSON.stringify(evidence)) as E;
}

/** The evidence with each object inside replaced that `lose` gives another one for. */
export function replaceIn<E>(
  evidence: E,
  lose: (part: { readonly [key: string]: Json }) => object | undefined,
): E {
  const walk = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== 'object' || part === null) return part;
    const lost = lose(part as { readonly [key: string]: Json });
    return lost ?? Object.fromEntries(Object.entries(part).map(([key, value]) => [key, walk(value)]));
  };
  return walk(evidence) as E;
}

/** Every object inside for which `read` gives a name, by that name. */
export function namesIn(
  evidence: unknown,
  read: (part: { readonly [key: string]: Json }) => string | undefined,
): readonly string[] {
  const names = new Set<string>();
  replaceIn(evidence, (part) => {
    const name = read(part);
    if (name !== undefined) names.add(name);
    return undefined;
  });
  return [...names];
}
