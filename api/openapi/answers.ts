import { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { type ProblemCode, problemSchema, problems } from '#shared/model/problem';

/** The answers of an operation that are problem documents, by status. */
export function problemResponses(codes: readonly ProblemCode[]): Record<string, object> {
  const statuses = new Map<number, ProblemCode[]>();
  for (const code of codes)
    statuses.set(problems[code].status, [...(statuses.get(problems[code].status) ?? []), code]);
  return Object.fromEntries(
    [...statuses].map(([status, group]) => [
      String(status),
      {
        description: group.map((code) => problems[code].title).join('; '),
        content: { 'application/problem+json': { schema: problemSchema } },
      },
    ]),
  );
}

/** The content of a JSON answer. */
export function json(schema: z.ZodType) {
  return { 'application/json': { schema } };
}

/** What a reader of something stored may learn, whatever it is. */
export const accessProblems: readonly ProblemCode[] = [
  'invalid_request',
  'token_required',
  'invalid_token',
  'insufficient_scope',
  'report_ids_disabled',
  'rate_limited',
  'internal_error',
  'store_unavailable',
];

/** The field `next` of a page. */
export const nextPage = z
  .string()
  .nullable()
  .meta({ description: 'The value of `before` for the next page; null on the last.' });

type OperationParts = Pick<ZodOpenApiOperationObject, 'requestParams' | 'requestBody' | 'responses'>;

/** Makes the operations of one kind of thing. @param security who may call them */
export function operationsOf(tag: string, security: NonNullable<ZodOpenApiOperationObject['security']>) {
  return (operationId: string, summary: string, rest: OperationParts): ZodOpenApiOperationObject => ({
    operationId,
    summary,
    tags: [tag],
    security,
    ...rest,
  });
}
