import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import type { ProblemCode } from '#shared/model/problem';
import { accessProblems, json, operationsOf, problemResponses } from '../openapi/answers.ts';
import { checkChoice } from '../reports/history.ts';
import { limitText } from '../request/pages.ts';
import { waitText } from '../request/read-ask.ts';
import { batchSchema } from './read-batch.ts';
import { afterText, limitText as linesText } from './results.ts';

const count = z.int().min(0);
const batchAnswer = z
  .looseObject({
    batchId: z.string(),
    check: z.string(),
    options: z.looseObject({}).meta({ description: 'What differs from the default.' }),
    label: z.string().nullable(),
    state: z.enum(['running', 'done', 'cancelled']),
    createdAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable(),
    expiresAt: z.iso.datetime(),
    total: count,
    waiting: count,
    running: count,
    done: count.meta({ description: 'Have a report, of any state.' }),
    refused: count.meta({ description: 'Are no targets of this check, or are not allowed.' }),
    failed: count.meta({ description: 'Met any other problem.' }),
    cancelled: count,
    perMinute: z.int().nullable().meta({ description: 'Targets that ended in the last minute.' }),
    remainingSeconds: z.int().nullable(),
    links: z.looseObject({ self: z.string(), results: z.string() }),
  })
  .meta({
    id: 'Batch',
    description: 'A list of targets. The counts are disjoint and add up to `total`.',
  });

const listAnswer = z
  .looseObject({ batches: z.array(batchAnswer), next: z.string().nullable() })
  .meta({ id: 'BatchList' });

const operation = operationsOf('batches', [{ token: ['tools'] }]);

const creating: readonly ProblemCode[] = [
  'cross_site_request',
  'idempotency_in_progress',
  'idempotency_key_reused',
  'quota_exceeded',
  'body_too_large',
  'unsupported_media_type',
  'not_acceptable',
  'overloaded',
  ...accessProblems,
];
const oneBatch: readonly ProblemCode[] = ['batch_not_found', ...accessProblems];
const batchId = z.object({
  batchId: z.string().meta({ example: '5f0c1e0b7a9d4c3e8b2a6d1f4e7c9a0b' }),
});
const waitParameter = z
  .string()
  .regex(waitText)
  .optional()
  .meta({ description: 'Seconds to wait, 0 to 55.' });

/** The endpoints of batches. */
export const batchPaths: ZodOpenApiPathsObject = {
  '/api/batches': {
    get: operation('listBatches', 'The batches of this account, newest first.', {
      requestParams: {
        query: z.object({
          limit: z.string().regex(limitText).optional().meta({ description: '1 to 100; 20.' }),
          before: z
            .string()
            .regex(/^[0-9]{1,15}-[0-9a-f]{32}$/)
            .optional()
            .meta({ description: '`next` of the page before.' }),
        }),
      },
      responses: {
        200: { description: 'A page.', content: json(listAnswer) },
        ...problemResponses(['not_acceptable', ...accessProblems]),
      },
    }),
    post: operation('createBatch', 'Checks up to 10,000 targets; at most 2 MB.', {
      requestParams: {
        query: z.object({
          check: checkChoice.optional().meta({
            description:
              'With a body of lines. The options of the check, `label`, `maxAge` and `fresh` stand in the query then too.',
          }),
        }),
        header: z.object({
          'idempotency-key': z
            .string()
            .regex(/^[!-~]{1,128}$/)
            .optional()
            .meta({ description: 'The same request with the same key makes one batch, for 24 h.' }),
        }),
      },
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: batchSchema },
          'text/plain': { schema: z.string().min(1).meta({ description: 'A target on each line.' }) },
          'application/x-ndjson': {
            schema: z.string().min(1).meta({ description: 'A JSON string on each line.' }),
          },
        },
      },
      responses: {
        201: { description: 'The batch. Its address is in Location.', content: json(batchAnswer) },
        200: { description: 'An equal request made it before.', content: json(batchAnswer) },
        ...problemResponses(creating),
      },
    }),
  },
  '/api/batches/{batchId}': {
    get: operation('getBatch', 'Where a batch stands.', {
      requestParams: { path: batchId, query: z.object({ wait: waitParameter }) },
      responses: {
        200: { description: 'The batch.', content: json(batchAnswer) },
        ...problemResponses(['not_acceptable', ...oneBatch]),
      },
    }),
    delete: operation('cancelBatch', 'Cancels what waits. What has ended stays readable.', {
      requestParams: { path: batchId },
      responses: {
        204: { description: 'It is cancelled, or has ended.' },
        ...problemResponses(['cross_site_request', ...oneBatch]),
      },
    }),
  },
  '/api/batches/{batchId}/results': {
    get: operation('getBatchResults', 'A line for each target that has ended, in the order of their ends.', {
      requestParams: {
        path: batchId,
        query: z.object({
          format: z.enum(['ndjson', 'csv']).optional().meta({ description: 'ndjson where left out.' }),
          after: z
            .string()
            .regex(afterText)
            .optional()
            .meta({ description: 'The `cursor` of the last line that you have.' }),
          wait: waitParameter,
          limit: z
            .string()
            .regex(linesText)
            .optional()
            .meta({ description: 'The most lines, 1 to 1000; all that there are where left out.' }),
        }),
      },
      responses: {
        200: {
          description: 'The lines. It is empty once all were read.',
          content: {
            'application/x-ndjson': {
              schema: z.string().meta({
                description:
                  'Each line is JSON: index (from 0), target (as given), cursor, outcome (done, refused, failed or cancelled), report or null, problem or null.',
              }),
            },
            'text/csv': { schema: z.string() },
          },
        },
        ...problemResponses(['overloaded', ...oneBatch]),
      },
    }),
  },
};
