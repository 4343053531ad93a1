import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeOpenapi } from '../../../api/openapi/document.ts';
import { formatTypes } from '../../../client/types/format-types.ts';
import { makeTypes, type OpenapiDocument } from '../../../client/types/make-types.ts';

test('the types of the client are those of the OpenAPI document; if not, run npm run client-types', () => {
  const document = makeOpenapi() as unknown as OpenapiDocument;
  expect(readFileSync('client/api-types.ts', 'utf8')).toBe(formatTypes(makeTypes(document)));
});
