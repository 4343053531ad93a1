import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject, ZodOpenApiResponseObject } from 'zod-openapi';
import { traceField } from '../request/trace-request.ts';

const headers = z.object({
  [traceField]: z
    .string()
    .optional()
    .meta({
      description:
        'The trace and span of this request, `00-<trace>-<span>-<flags>` (W3C Trace Context, level 2), where the operator collects traces. Name it when you report a problem.',
      example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      header: { id: traceField },
    }),
});

const methods = ['get', 'post', 'patch', 'delete'] as const;

/** The same paths; every answer of every operation has the field that names its trace. */
export function withTraceField(paths: ZodOpenApiPathsObject): ZodOpenApiPathsObject {
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      {
        ...item,
        ...Object.fromEntries(
          methods.flatMap((method) => {
            const operation = item[method];
            return operation ? [[method, answeredWithField(operation)]] : [];
          }),
        ),
      },
    ]),
  );
}

function answeredWithField(operation: ZodOpenApiOperationObject): ZodOpenApiOperationObject {
  const responses = Object.entries(operation.responses ?? {}).map(([status, response]) => [
    status,
    { ...(response as ZodOpenApiResponseObject), headers },
  ]);
  return { ...operation, responses: Object.fromEntries(responses) as ZodOpenApiOperationObject['responses'] };
}
