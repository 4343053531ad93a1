import type { z } from 'zod';
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
