import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatTypes } from '../../../client/types/format-types.ts';
import { makeTypes, type OpenapiDocument } from '../../../client/types/make-types.ts';

test('the types of the client are those of the OpenAPI document; if not, run npm run client-types', () => {
  const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as OpenapiDocument;
  expect(readFileSync('client/api-types.ts', 'utf8')).toBe(formatTypes(makeTypes(document)));
});
