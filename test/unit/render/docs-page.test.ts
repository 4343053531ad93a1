import Ajv2020 from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { makeOpenapi } from '../../../api/descriptions/document.ts';
import { exampleOf, type Schema, type Schemas } from '../../../api/descriptions/example-of.ts';

const document = makeOpenapi();
const schemas = (document.components?.schemas ?? {}) as Schemas;
const validator = new Ajv2020.default({ strict: false, validateFormats: false });
validator.addSchema(JSON.parse(JSON.stringify({ $id: 'doc', components: { schemas } })) as object);

test.for(Object.keys(schemas))('an example of %s is what its schema allows', (name) => {
  const schema = schemas[name] as Schema;
  const validate = validator.getSchema(`doc#/components/schemas/${name}`);
  if (!validate) throw new Error(`${name} is no schema`);
  validate(JSON.parse(JSON.stringify(exampleOf(schema, schemas, name)))) as boolean;
  // The text "…" fits no pattern, and is no shorter or longer than it is.
  const wrong = validate.errors?.filter(({ keyword }) => !['pattern', 'anyOf'].includes(keyword)) ?? [];
  expect(wrong.map(({ instancePath, message }) => `${instancePath} ${message}`)).toEqual([]);
});
