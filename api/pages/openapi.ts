import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { domainText } from '#shared/targets/target-texts';
import { problemResponses } from '../openapi/answers.ts';
import { labelText } from './badge.ts';

/** What of the pages a program uses: the badge. */
export const pagePaths: ZodOpenApiPathsObject = {
  '/api/badge/{domain}.svg': {
    get: {
      operationId: 'getBadge',
      summary:
        'A badge with the grade of the newest domain-health that was given to a caller without a token. Never starts a check.',
      tags: ['service'],
      security: [{}, { token: [] }],
      requestParams: {
        path: z.object({
          domain: z
            .string()
            .regex(domainText)
            .meta({ description: 'Domain name, Unicode or Punycode.', example: 'example.com' }),
        }),
        query: z.object({
          label: z
            .string()
            .regex(labelText)
            .optional()
            .meta({ description: 'The words on the left half; "domain health".' }),
        }),
      },
      responses: {
        200: { description: 'The badge.', content: { 'image/svg+xml': { schema: z.string() } } },
        304: { description: 'The caller has it.' },
        ...problemResponses([
          'invalid_request',
          'target_not_allowed',
          'invalid_token',
          'rate_limited',
          'internal_error',
          'store_unavailable',
        ]),
      },
    },
  },
};
