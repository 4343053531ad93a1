import type { CheckSpec } from '#shared/catalogue/spec';
import { schemaVersion } from '#shared/model/report';
import { componentName, failedReportName } from '../openapi/report-shapes.ts';
import { openapiOf } from './document.ts';

/** Where the schema of a check's report stands, as Express has it. */
export const schemaPattern = `/schemas/:check/${schemaVersion}.json`;

/** The shapes of reports are the same everywhere. */
const anyService = { publicPath: '', isOpen: true };

/**
 * The JSON Schema (2020-12) of a check's report, with all that it refers to: the schemas of the OpenAPI document, in a file of its own.
 * @param publicPath prefix of every address of this service, or ""
 */
export function makeReportSchema({ name, summary }: Pick<CheckSpec, 'name' | 'summary'>, publicPath: string) {
  const { components } = openapiOf(anyService);
  const text = JSON.stringify(components?.schemas ?? {}).replaceAll('#/components/schemas/', '#/$defs/');
  // Strict validators refuse keywords that they do not know, and these are for generators of clients.
  const all = JSON.parse(text, (key, value: unknown) =>
    key === 'x-enum-varnames' ? undefined : value,
  ) as Readonly<Record<string, object>>;
  const own = componentName(name);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `${publicPath}/schemas/${name}/${schemaVersion}.json`,
    title: `Report of ${name}`,
    description: summary,
    type: 'object',
    properties: { check: { const: name }, schemaVersion: { const: schemaVersion } },
    required: ['check', 'schemaVersion'],
    anyOf: [own, failedReportName].map((component) => ({ $ref: `#/$defs/${component}` })),
    $defs: pickReached(all, [own, failedReportName]),
  };
}

function pickReached(all: Readonly<Record<string, object>>, from: readonly string[]): object {
  const reached = new Set(from);
  for (const name of reached)
    for (const [, other = ''] of JSON.stringify(all[name] ?? {}).matchAll(/"#\/\$defs\/(\w+)"/g))
      reached.add(other);
  return Object.fromEntries([...reached].sort().map((name) => [name, all[name]]));
}
