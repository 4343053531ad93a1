/** JSON of a document: what schemas are made of. */
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Schema = { readonly [key: string]: Json };

/**
 * The same document in words that code generators of every language understand, and that promise no more than the service does:
 * an object of an answer may gain fields, a tuple of equal items is a list of fixed length, a list of values whose names would be the same in a
 * program ("A", "A+") or empty is a pattern, a list with the name of a client's own class has other names, and a time is said by its
 * format alone. Pure.
 */
export function forGenerators<Document extends object>(document: Document): Document {
  const plain = JSON.parse(JSON.stringify(document)) as Json;
  const sent = new Set(JSON.stringify(findBodies(plain)).match(/(?<=#\/components\/schemas\/)\w+/g));
  return mapValue(plain, { at: '', sent, isSent: false }) as unknown as Document;
}

/** @property sent the schemas that bodies of requests refer to: there a field that is not known is a fault */
type SchemaSite = { readonly at: string; readonly sent: ReadonlySet<string>; readonly isSent: boolean };

function findBodies(value: Json): readonly Json[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, one]) => (key === 'requestBody' ? [one] : findBodies(one)));
}

function mapValue(value: Json, place: SchemaSite): Json {
  if (isList(value)) return value.map((one) => mapValue(one, place));
  if (value === null || typeof value !== 'object') return value;
  const mapped = Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const at = `${place.at}/${key}`;
      const isSent = place.isSent || (at === `/components/schemas/${key}` && place.sent.has(key));
      return [key, mapValue(one, { ...place, at, isSent })];
    }),
  );
  const steps = [plainTuple, namedValues, otherNames, plainTime];
  return (place.isSent ? steps : [openObject, ...steps]).reduce((schema, step) => step(schema), mapped);
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
