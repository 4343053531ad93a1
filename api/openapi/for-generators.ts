/** JSON of a document: what schemas are made of. */
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Schema = { readonly [key: string]: Json };

/**
 * The same document in words that code generators of every language understand, and that promise no more than the service does:
 * an object may gain fields, a tuple of equal items is a list of fixed length, a list of values whose names would be the same in a
 * program ("A", "A+") or empty is a pattern, a list with the name of a client's own class has other names, and a time is said by its
 * format alone. Pure.
 */
export function forGenerators<Document extends object>(document: Document): Document {
  return mapValue(JSON.parse(JSON.stringify(document)) as Json) as unknown as Document;
}

function mapValue(value: Json): Json {
  if (isList(value)) return value.map(mapValue);
  if (value === null || typeof value !== 'object') return value;
  const mapped = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapValue(one)]));
  return [openObject, plainTuple, namedValues, otherNames, plainTime].reduce(
    (schema, step) => step(schema),
    mapped,
  );
}

/** Left out, it means the same as {}: generators of types make an index of unknown fields of what is written, and take its names from nobody. */
function openObject(schema: Schema): Schema {
  const { additionalProperties, ...rest } = schema;
  const isPlain = additionalProperties === false || isEmpty(additionalProperties);
  return 'properties' in schema && isPlain ? rest : schema;
}

function plainTuple(schema: Schema): Schema {
  const { prefixItems, items: _items, ...rest } = schema;
  if (!isList(prefixItems)) return schema;
  const kinds = new Set(prefixItems.map((item) => JSON.stringify(item)));
  if (kinds.size > 1) throw new Error(`no generator knows a tuple of different items: ${[...kinds].join()}`);
  return { ...rest, items: prefixItems[0] ?? {}, minItems: prefixItems.length, maxItems: prefixItems.length };
}

function namedValues(schema: Schema): Schema {
  const { enum: values, ...rest } = schema;
  if (!isList(values) || !values.every((value) => typeof value === 'string')) return schema;
  const names = new Set(values.map((value) => value.replace(/[^A-Za-z0-9]/g, '').toUpperCase()));
  if (names.size === values.length && !names.has('')) return schema;
  const choices = values.map((value) => value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return { ...rest, pattern: `^(?:${choices.join('|')})$`, examples: values };
}

/** oapi-codegen names a constant after a value alone, and its class of the API is called Client. Go, Python and TypeScript generators read `x-enum-varnames`. */
function otherNames(schema: Schema): Schema {
  const { enum: values } = schema;
  if (!isList(values) || !values.every((value) => typeof value === 'string')) return schema;
  if (!values.includes('client')) return schema;
  return { ...schema, 'x-enum-varnames': values.map((value) => `Of${capitalize(value)}`) };
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function plainTime(schema: Schema): Schema {
  const { pattern, ...rest } = schema;
  return schema['format'] === 'date-time' && typeof pattern === 'string' ? rest : schema;
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function isEmpty(value: Json | undefined): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
