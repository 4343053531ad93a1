/** What of a JSON schema an example is made of. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly description?: string;
  readonly properties?: { readonly [name: string]: Schema };
  readonly prefixItems?: readonly Schema[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
};

/** The schemas that a document gives names to. */
export type Schemas = { readonly [name: string]: Schema };

/** A list in a list in a list says nothing new to a reader. */
const deepestList = 3;

const known: { readonly [name: string]: unknown } = {
  domain: 'example.com',
  host: 'example.com',
  zone: 'example.com',
  url: 'https://example.com/',
  href: 'https://example.com/',
  self: '/api/jobs/4d1c0f6a2b8e49f3a7c5d2e1b0f98374',
  id: '4d1c0f6a2b8e49f3a7c5d2e1b0f98374',
  reportId: '8c2f7b0d4e6a4f1e9b3c5a7d1f2e8b60',
  requestId: '0b6f7c1e-52a4-4f0e-9d5b-3c8a7e21f640',
  address: '192.0.2.1',
  ip: '192.0.2.1',
  port: 443,
  status: 200,
  durationMs: 412,
  score: 91,
  grade: 'A',
};
const knownTime = '2026-11-21T03:00:00.000Z';

/**
 * A value that a schema allows, to show what an answer looks like: the first choice of each, one item of a list. A text of which nothing
 * is known is "…".
 * @param name of the field that it stands in
 */
export function exampleOf(schema: Schema, schemas: Schemas, name = '', depth = 0): unknown {
  const found = resolve(schema, schemas);
  const told = toldOf(found);
  if (told !== undefined) return told;
  const choices = found.anyOf ?? found.oneOf;
  if (choices) return exampleOf(choices[0] ?? {}, schemas, name, depth);
  if (found.allOf)
    return Object.assign({}, ...found.allOf.map((part) => exampleOf(part, schemas, name, depth)));
  const type = typeof found.type === 'string' ? found.type : found.type?.[0];
  if (type === 'object') return exampleOfObject(found, schemas, depth);
  if (type === 'array') return exampleOfList(found, schemas, { name, depth });
  return scalarOf(type, found, name);
}

function toldOf({ const: only, example, examples, enum: values }: Schema): unknown {
  return only ?? example ?? examples?.[0] ?? values?.[0];
}

function resolve(schema: Schema, schemas: Schemas): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (schemas[name] ?? {});
}

function exampleOfObject({ properties = {} }: Schema, schemas: Schemas, depth: number): unknown {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, exampleOf(schema, schemas, name, depth)]),
  );
}

type SchemaPosition = { readonly name: string; readonly depth: number };

function exampleOfList(
  { items, prefixItems, minItems = 0 }: Schema,
  schemas: Schemas,
  place: SchemaPosition,
) {
  const { name, depth } = place;
  if (prefixItems) return prefixItems.map((item) => exampleOf(item, schemas, name, depth + 1));
  if (items === undefined || (depth >= deepestList && minItems === 0)) return [];
  const item = exampleOf(items, schemas, name, depth + 1);
  return Array.from({ length: Math.max(1, minItems) }, () => item);
}

function scalarOf(type: string | undefined, { minimum = 1, maximum }: Schema, name: string): unknown {
  const own = known[name];
  const isNumber = type === 'integer' || type === 'number';
  if (own !== undefined && typeof own === (isNumber ? 'number' : type)) return own;
  if (isNumber) return Math.min(Math.max(minimum, 1), maximum ?? Number.MAX_SAFE_INTEGER);
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  return /(?:At|Until|Before|After|Update)$/.test(name) ? knownTime : '…';
}
