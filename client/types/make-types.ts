/** A part of an OpenAPI 3.1 document that says what a value looks like. */
type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly description?: string;
};

type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly schema: Schema;
    readonly description?: string;
  }[];
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
};

/** What is read of an OpenAPI document. */
export type OpenapiDocument = {
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

const toolPath = /^\/api\/tools\/([a-z-]+)(\/\{domain\})?$/;
/** Query parameters of every tool: the client sets them by its own options. */
const common = new Set(['url', 'wait', 'fresh', 'maxAge']);

/** The TypeScript of every schema and tool of an OpenAPI document. Pure. */
export function makeTypes({ paths, components }: OpenapiDocument): string {
  const shared = sharedFields(Object.values(components.schemas).filter(isReport));
  const schemas = Object.entries(components.schemas).map(([name, schema]) =>
    isReport(schema) ? declare(name, without(schema, shared), 'ReportFields & ') : declare(name, schema),
  );
  const tools = Object.entries(paths).flatMap(([path, { get }]) => {
    const [, name, domain] = toolPath.exec(path) ?? [];
    return name === undefined ? [] : [{ name, kind: domain === undefined ? 'url' : 'domain', get }];
  });
  const rows = tools.map(
    ({ name, get }) =>
      `${comment(get.summary)}  readonly '${name}': { readonly report: ${reportOf(get)}; readonly options: ${optionsOf(get)} };`,
  );
  return `/* oxlint-disable max-lines */
// Generated from the OpenAPI document by \`npm run docs\`. Do not edit.

${declare('ReportFields', { ...shared, description: 'What the report of every tool has.' })}

${schemas.join('\n\n')}

/** Every tool: what it answers and which options it takes. */
export type Tools = {
${rows.join('\n')}
};

/** Every tool, and whether it takes a domain or a URL. */
export const toolKinds = {
${tools.map(({ name, kind }) => `  '${name}': '${kind}',`).join('\n')}
} as const satisfies { readonly [name in keyof Tools]: 'domain' | 'url' };
`;
}

function declare(name: string, schema: Schema, base = ''): string {
  return `${comment(schema.description, '')}export type ${name} = ${base}${print(schema)};`;
}

function isReport({ properties }: Schema): boolean {
  return properties !== undefined && 'schemaVersion' in properties && 'findings' in properties;
}

/** The fields that look the same in all of these. */
function sharedFields([first = {}, ...others]: readonly Schema[]): Schema {
  const looks = ({ properties = {}, required = [] }: Schema, name: string) =>
    JSON.stringify([properties[name], required.includes(name)]);
  const shared = Object.entries(first.properties ?? {}).filter(([name]) =>
    others.every((other) => looks(other, name) === looks(first, name)),
  );
  const required = first.required ?? [];
  return { type: 'object', properties: Object.fromEntries(shared), required, additionalProperties: false };
}

function without(schema: Schema, { properties: shared = {} }: Schema): Schema {
  const own = Object.entries(schema.properties ?? {}).filter(([name]) => !(name in shared));
  return { ...schema, properties: Object.fromEntries(own) };
}

function reportOf({ responses }: Operation): string {
  const schema = responses['200']?.content?.['application/json']?.schema;
  return schema ? print(schema) : 'unknown';
}

function optionsOf({ parameters = [] }: Operation): string {
  const own = parameters.filter((parameter) => parameter.in === 'query' && !common.has(parameter.name));
  const rows = own.map(
    ({ name, schema, description }) =>
      `${comment(description ?? schema.description)}  readonly ${key(name)}?: ${printOption(schema)};`,
  );
  return rows.length === 0 ? 'Record<never, never>' : `{\n${rows.join('\n')}\n}`;
}

const plain: { readonly [type: string]: string } = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

function print(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'unknown';
  if ('const' in schema) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  const named = namedChoices(schema);
  if (named) return named.map(literal).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(print))].join(' | ');
  if (Array.isArray(schema.type))
    return (schema.type as readonly string[]).map((type) => print({ ...schema, type })).join(' | ');
  if (schema.type === 'array') return printArray(schema);
  if (schema.type === 'object') return printObject(schema);
  return plain[String(schema.type)] ?? 'unknown';
}

/** The values of a pattern that only lists them: `^(?:A\+|A)$`, or that takes a list of them: `^(?:a|b)(?:,(?:a|b))*$`. */
function namedChoices({ pattern = '' }: Schema): readonly string[] | undefined {
  const [, list] =
    /^\^\(\?:((?:[^()[\]{}*+?.\\^$]|\\[^A-Za-z0-9])*)\)(?:\(\?:,\(\?:\1\)\)\*)?\$$/.exec(pattern) ?? [];
  return list?.split('|').map((choice) => choice.replace(/\\(.)/g, '$1'));
}

/** What an option takes: where its text is that of a number, a number too. */
function printOption(schema: Schema): string {
  const { enum: values, pattern } = schema;
  if (values?.every((value) => /^\d+$/.test(String(value))) === true)
    return [...values.map(Number), ...values].map(literal).join(' | ');
  const isOfDigits = pattern !== undefined && /^[\^$()?:|[\]{},\d\\-]+$/.test(pattern.replaceAll('\\d', '0'));
  return isOfDigits ? 'number | `${number}`' : print(schema);
}

function printArray({ items, minItems, maxItems }: Schema): string {
  if (items && minItems !== undefined && minItems === maxItems)
    return `readonly [${Array.from({ length: minItems }, () => print(items)).join(', ')}]`;
  return `ReadonlyArray<${items ? print(items) : 'unknown'}>`;
}

function printObject({ properties = {}, required = [], additionalProperties }: Schema): string {
  const rows = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment(schema.description)}  readonly ${key(name)}${required.includes(name) ? '' : '?'}: ${print(schema)};`,
  );
  // A later version may send more fields; nothing is known of them, so reading one is an error: else a misspelt name would be none.
  if (rows.length > 0) {
    // An object without comments takes one line where it fits: the formatter only breaks what is too long.
    const isBare = !rows.some((row) => row.includes('\n'));
    return isBare ? `{ ${rows.join(' ')} }` : `{\n${rows.join('\n')}\n}`;
  }
  if (additionalProperties === false) return 'Record<never, never>';
  const value = typeof additionalProperties === 'object' ? print(additionalProperties) : 'unknown';
  return `{ readonly [field: string]: ${value} }`;
}

function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
}

function literal(value: unknown): string {
  return typeof value === 'string'
    ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
    : JSON.stringify(value);
}

function comment(text: string | undefined, indent = '  '): string {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '* /')} */\n`;
}
