import { expect, test } from 'vitest';
import { makeOpenapi } from '../../../api/descriptions/document.ts';
import { forGenerators } from '../../../api/descriptions/for-generators.ts';

// What stopped generators of clients, each met in one: the document must have none of it.
type Fault = { readonly at: string; readonly why: string };

function lint(value: unknown, at = '#'): readonly Fault[] {
  if (Array.isArray(value)) return value.flatMap((one, index) => lint(one, `${at}/${index}`));
  if (typeof value !== 'object' || value === null) return [];
  const schema = value as Readonly<Record<string, unknown>>;
  const own = rules.filter(([, isBroken]) => isBroken(schema)).map(([why]) => ({ at, why }));
  return [...own, ...Object.entries(schema).flatMap(([key, one]) => lint(one, `${at}/${key}`))];
}

const texts = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
const rules: readonly (readonly [
  why: string,
  isBroken: (schema: Readonly<Record<string, unknown>>) => boolean,
])[] = [
  ['openapi-python-client and others read no boolean as a schema', ({ items }) => typeof items === 'boolean'],
  ['oapi-codegen knows no prefixItems', (schema) => 'prefixItems' in schema],
  [
    'values of an enum become names of a program, and these would be one name, or none',
    ({ enum: values }) => {
      const names = texts(values).map((value) => value.replace(/[^A-Za-z0-9]/g, '').toUpperCase());
      return new Set(names).size < names.length || names.includes('');
    },
  ],
  [
    'oapi-codegen names a constant after the value alone, and Client is the name of its class',
    (schema) => texts(schema['enum']).includes('client') && !('x-enum-varnames' in schema),
  ],
  [
    'a pattern that not all engines read alike (ECMA 262, RE2, Python)',
    ({ pattern }) => typeof pattern === 'string' && /\\[pPuksSwWdDbB]|\(\?[<!=]/.test(pattern),
  ],
  [
    'a pattern with a repetition above 1,000, which RE2 refuses',
    ({ pattern }) =>
      typeof pattern === 'string' &&
      [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].some(([, least, most]) => Number(most || least) > 1000),
  ],
  [
    'a pattern that does not say where it begins and ends',
    ({ pattern }) => typeof pattern === 'string' && !/^\^.*\$$/s.test(pattern),
  ],
  [
    'an index of unknown fields beside known ones',
    ({ properties, additionalProperties }) =>
      properties !== undefined &&
      typeof additionalProperties === 'object' &&
      Object.keys(additionalProperties ?? {}).length === 0,
  ],
  [
    'an answer that may not gain a field',
    ({ properties, additionalProperties }) => properties !== undefined && additionalProperties === false,
  ],
];

const isSent = ({ at }: Fault) =>
  /^#\/components\/schemas\/(?:BatchRequest|WatchRequest|WatchPatch)\b/.test(at);

test('nothing in the OpenAPI document stops a generator', () => {
  expect(lint(makeOpenapi()).filter((fault) => !isSent(fault))).toEqual([]);
});

test('what a caller sends may have no field that is not known, and stops no generator otherwise', () => {
  const faults = lint(makeOpenapi()).filter(isSent);
  expect(new Set(faults.map(({ why }) => why))).toEqual(new Set(['an answer that may not gain a field']));
  expect(faults.map(({ at }) => at)).toContain('#/components/schemas/WatchRequest');
});

test('operations have names of their own, and so have schemas', () => {
  const { paths = {}, components } = makeOpenapi();
  const all = Object.values(paths).flatMap((path) => [path?.get, path?.post, path?.patch, path?.delete]);
  const operations = all.filter((operation) => operation !== undefined);
  const names = operations.map(({ operationId }) => operationId?.toLowerCase());
  expect(new Set(names.filter(Boolean)).size).toBe(operations.length);
  const schemas = Object.keys(components?.schemas ?? {});
  expect(new Set(schemas.map((name) => name.toLowerCase())).size).toBe(schemas.length);
});

test('an object inside a schema gets no name that another schema has', () => {
  // Generators name it after the schema and the field: Watch.links is WatchLinks.
  const schemas = Object.entries(makeOpenapi().components?.schemas ?? {});
  const taken = new Set(schemas.map(([name]) => name.toLowerCase()));
  const inner = schemas.flatMap(([name, schema]) => {
    const { properties = {} } = schema as { properties?: Readonly<Record<string, object>> };
    const inPlace = Object.entries(properties).filter(([, field]) =>
      /"(?:properties|enum)":/.test(JSON.stringify(field)),
    );
    return inPlace.map(([field]) => `${name}${field}`);
  });
  expect(inner.length).toBeGreaterThan(100);
  expect(inner.filter((name) => taken.has(name.toLowerCase()))).toEqual([]);
});

test.for([
  [
    'values with one name',
    { type: 'string', enum: ['A+', 'A'] },
    { type: 'string', pattern: '^(?:A\\+|A)$', examples: ['A+', 'A'] },
  ],
  ['values with names of their own', { enum: ['a', 'b'] }, { enum: ['a', 'b'] }],
  [
    'a tuple of equal items',
    { prefixItems: [{ type: 'string' }, { type: 'string' }], items: false },
    { items: { type: 'string' }, minItems: 2, maxItems: 2 },
  ],
  [
    'a value with the name of a class',
    { type: 'string', enum: ['server', 'client'] },
    { type: 'string', enum: ['server', 'client'], 'x-enum-varnames': ['OfServer', 'OfClient'] },
  ],
  ['an open object', { properties: { a: {} }, additionalProperties: {} }, { properties: { a: {} } }],
  ['a map', { additionalProperties: { type: 'string' } }, { additionalProperties: { type: 'string' } }],
  [
    'a map of anything',
    { type: 'object', additionalProperties: {} },
    { type: 'object', additionalProperties: {} },
  ],
] as const)('%s is said in words that all of them know', ([, schema, expected]) => {
  expect(forGenerators(schema)).toEqual(expected);
});

test('a tuple of different items is refused when the document is made', () => {
  expect(() =>
    forGenerators({ prefixItems: [{ type: 'string' }, { type: 'number' }], items: false }),
  ).toThrow('tuple');
});
