import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { catalogue } from '#shared/catalogue/registry';
import type { CheckSpec } from '#shared/catalogue/spec';
import { severitySchema } from '#shared/model/finding';
import type { ProblemCode } from '#shared/model/problem';
import { schemaVersion } from '#shared/model/report';
import { urlLengthLimit } from '#shared/targets/parse-target';
import { domainText, targetText, webAddressText } from '#shared/targets/target-texts';
import { batchPaths } from '../batches/openapi.ts';
import { historyPaths } from '../history/openapi.ts';
import { json, problemResponses } from '../openapi/answers.ts';
import { progressSchema } from '../openapi/progress-shape.ts';
import { failedReport, reportOf } from '../openapi/report-shapes.ts';
import { sharedHeaders, sharedParameters } from '../openapi/shared-parameters.ts';
import { withTraceField } from '../openapi/trace-field.ts';
import { pagePaths } from '../pages/openapi.ts';
import { checkChoice } from '../reports/history.ts';
import { reportPaths } from '../reports/openapi.ts';
import { watchPaths } from '../watches/openapi.ts';
import { forGenerators } from './for-generators.ts';

const jobSchema = z
  .looseObject({
    id: z.string(),
    state: z.enum(['waiting', 'running', 'done', 'failed', 'expired']),
    position: z.int().optional(),
    progress: progressSchema,
    detail: z.string().optional(),
    links: z.looseObject({ self: z.string(), original: z.string().optional() }),
  })
  .meta({ id: 'Job' });
const quotaSchema = z.looseObject({
  limit: z.int(),
  windowSeconds: z.int(),
  remaining: z.int(),
  resetSeconds: z.int(),
});
const meSchema = z
  .looseObject({
    kind: z.enum(['anonymous', 'token']),
    name: z.string().optional().meta({ description: 'The name of the token.' }),
    scopes: z.array(z.string()),
    limited: z.boolean().meta({ description: 'false where the operator has switched all limits off.' }),
    limits: z.looseObject({ requests: quotaSchema, scans: quotaSchema, writes: quotaSchema }),
    quotas: z.record(z.string(), z.looseObject({ limit: z.int(), used: z.int() })).optional(),
    jobs: z.looseObject({ running: z.int(), waiting: z.int() }).optional().meta({
      description:
        'Your jobs that have a slot of a worker, and those that wait for one or for their host; those that a domain-health asks for are counted too. Absent while the queue is away.',
    }),
    costs: z.record(z.string(), z.int()),
  })
  .meta({ id: 'Me' });
const template = 'With {placeholders} that a finding fills from its evidence.';
const ruleSchema = z
  .looseObject({
    code: z.string(),
    check: z.string(),
    part: z.string().optional(),
    severity: severitySchema,
    points: z.number(),
    title: z.string(),
    detail: z.string().meta({ description: template }),
    why: z.string().nullable().meta({
      description: 'What can happen and to whom, in two sentences. null for severity "info".',
    }),
    fix: z.string().meta({ description: template }),
    references: z.array(z.object({ title: z.string(), url: z.string() })),
    replaces: z
      .array(z.string())
      .optional()
      .meta({ description: 'Codes by which older reports of this check say the same.' }),
  })
  .meta({ id: 'Rule' });

const findingsSchema = z.looseObject({ findings: z.array(ruleSchema) });

export type ServiceFacts = {
  /** Prefix of every link: PUBLIC_URL, or "" for links relative to the host. */
  readonly publicPath: string;
  /** No token is needed for the tools. */
  readonly isOpen: boolean;
};

const tags = [
  { name: 'tools', description: 'One GET, one report.' },
  { name: 'reports', description: 'Stored reports; a token with the scope reports:read.' },
  { name: 'batches', description: 'Many targets at once; a token with the scope tools.' },
  { name: 'watches', description: 'Targets checked on a schedule; a token with the scope watch.' },
  { name: 'service', description: 'Jobs, limits, and what the service knows of itself.' },
];

const made = new WeakMap<ServiceFacts, ReturnType<typeof makeOpenapi>>();

/** The OpenAPI document of a service, which takes some 50 ms of CPU to make: once. @param service the same object each time */
export function openapiOf(service: ServiceFacts): ReturnType<typeof makeOpenapi> {
  const document = made.get(service) ?? makeOpenapi(service);
  made.set(service, document);
  return document;
}

/** Makes the OpenAPI 3.1 document, from the schemas that the answers are made with. */
export function makeOpenapi({ publicPath, isOpen }: ServiceFacts = { publicPath: '', isOpen: true }) {
  const paths: ZodOpenApiPathsObject = Object.fromEntries(
    catalogue.map((spec) => [pathOf(spec), { get: toolOperation(spec) }]),
  );
  const document = createDocument({
    openapi: '3.1.1',
    info: {
      title: 'Diagnostic Tools',
      version: '1',
      description:
        'Examines domains and URLs: what was seen, a score, findings with evidence and a fix. Objects may gain fields: ignore those you do not know.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicPath === '' ? '/' : publicPath }],
    security: isOpen ? [{}, { token: [] }] : [{ token: [] }],
    tags,
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    paths: withTraceField({
      ...paths,
      ...reportPaths,
      ...batchPaths,
      ...watchPaths,
      ...historyPaths,
      ...pagePaths,
      '/api/jobs/{id}': { get: jobOperation },
      '/api/me': {
        get: operation('getMe', 'Who the caller is, scopes, limits and what is left of them.', meSchema, [
          'invalid_token',
          'rate_limited',
          'store_unavailable',
        ]),
      },
      '/api/findings': { get: findingsOperation },
      [schemaPath]: { get: schemaOperation },
      '/probe': { get: probeOperation },
    }),
  });
  return forGenerators(document);
}

const toolProblems: readonly ProblemCode[] = [
  'invalid_request',
  'token_required',
  'invalid_token',
  'insufficient_scope',
  'cross_site_request',
  'not_acceptable',
  'target_not_allowed',
  'rate_limited',
  'internal_error',
  'overloaded',
  'browser_unavailable',
  'not_cached',
];

function toolOperation(spec: CheckSpec): ZodOpenApiOperationObject {
  const url = z
    .string()
    .max(urlLengthLimit)
    .regex(webAddressText)
    .meta({ description: 'Absolute http or https URL, percent-encoded.', example: 'https://example.com/' });
  const domain = z
    .string()
    .regex(domainText)
    .meta({ description: 'Domain name, Unicode or Punycode.', example: 'example.com' });
  return {
    operationId: spec.name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
    summary: spec.summary,
    tags: ['tools'],
    requestParams: {
      ...(spec.targetKind === 'domain' ? { path: z.object({ domain }) } : {}),
      query: z.object({
        ...(spec.targetKind === 'url' ? { url } : {}),
        ...spec.options.shape,
        ...sharedParameters,
      }),
      header: sharedHeaders,
    },
    responses: {
      200: {
        description: 'The report; also of a target that is broken or unreachable.',
        content: json(z.union([reportOf(spec), failedReport])),
      },
      202: { description: 'The work goes on; ask again at Location.', content: json(jobSchema) },
      304: { description: 'The caller has this report.' },
      ...problemResponses(
        spec.switchedOnBy === undefined ? toolProblems : [...toolProblems, 'tool_disabled'],
      ),
    },
  };
}

const schemaPath = `/schemas/{check}/${schemaVersion}.json`;
const schemaOperation: ZodOpenApiOperationObject = withNotModified({
  ...operation('getReportSchema', 'The JSON Schema of the report of a check.', z.looseObject({}), [
    'invalid_token',
    'not_found',
    'rate_limited',
    'store_unavailable',
  ]),
  requestParams: { path: z.object({ check: z.enum(catalogue.map(({ name }) => name)) }) },
});

const probeOperation: ZodOpenApiOperationObject = {
  operationId: 'probe',
  summary:
    'One check as gauges for Prometheus. Takes the options of the check too; answers from a report that is at most `maxAge` old, and renews it.',
  tags: ['service'],
  requestParams: {
    query: z.object({
      target: z.string().regex(targetText).meta({ description: 'A domain or URL, as the check takes it.' }),
      module: z.enum(catalogue.map(({ name }) => name)).meta({ description: 'The name of the check.' }),
      maxAge: sharedParameters.maxAge,
    }),
    header: z.object({
      'x-prometheus-scrape-timeout-seconds': z
        .string()
        .optional()
        .meta({ description: 'Sent by Prometheus: the answer comes before that.' }),
    }),
  },
  responses: {
    200: {
      description: 'Gauges in the text format of Prometheus.',
      content: { 'text/plain': { schema: z.string() } },
    },
    ...problemResponses([
      ...toolProblems.filter((code) => code !== 'not_acceptable' && code !== 'not_cached'),
      'tool_disabled',
    ]),
  },
};

const jobOperation: ZodOpenApiOperationObject = {
  operationId: 'getJob',
  summary: 'Where a job stands.',
  tags: ['service'],
  requestParams: { path: z.object({ id: z.string() }), query: z.object({ wait: sharedParameters.wait }) },
  responses: {
    200: { description: 'Waiting, running or expired.', content: json(jobSchema) },
    303: { description: 'Ended: the report is at Location.', content: json(jobSchema) },
    ...problemResponses([
      'invalid_request',
      'token_required',
      'invalid_token',
      'insufficient_scope',
      'job_not_found',
      'not_acceptable',
      'rate_limited',
      'internal_error',
      'queue_unavailable',
    ]),
  },
};

function operation(
  operationId: string,
  summary: string,
  schema: z.ZodType,
  codes: readonly ProblemCode[],
): ZodOpenApiOperationObject {
  return {
    operationId,
    summary,
    tags: ['service'],
    security: [{}, { token: [] }],
    responses: {
      200: { description: summary, content: json(schema) },
      ...problemResponses(['invalid_request', 'not_acceptable', 'internal_error', ...codes]),
    },
  };
}

const findingsOperation: ZodOpenApiOperationObject = {
  ...withNotModified(
    operation('listFindings', 'Every rule of every check, or of one.', findingsSchema, [
      'invalid_token',
      'rate_limited',
      'store_unavailable',
    ]),
  ),
  requestParams: {
    query: z.object({
      check: checkChoice.optional().meta({ description: 'The rules of this check only.' }),
    }),
  },
};

function withNotModified({ responses, ...rest }: ZodOpenApiOperationObject): ZodOpenApiOperationObject {
  return { ...rest, responses: { ...responses, 304: { description: 'The caller has it.' } } };
}

function pathOf({ name, targetKind }: CheckSpec): string {
  return `/api/tools/${name}${targetKind === 'domain' ? '/{domain}' : ''}`;
}
