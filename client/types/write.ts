// npm run client-types: writes the types of the client from docs/openapi.json.
import { readFileSync, writeFileSync } from 'node:fs';
import { formatTypes } from './format-types.ts';
import { makeTypes, type OpenapiDocument } from './make-types.ts';

const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as OpenapiDocument;
writeFileSync('client/api-types.ts', formatTypes(makeTypes(document)));
