// npm run client-types: writes the types of the client from the OpenAPI document.
import { writeFileSync } from 'node:fs';
import { makeOpenapi } from '../../api/openapi/document.ts';
import { formatTypes } from './format-types.ts';
import { makeTypes, type OpenapiDocument } from './make-types.ts';

const document = makeOpenapi() as unknown as OpenapiDocument;
writeFileSync('client/api-types.ts', formatTypes(makeTypes(document)));
