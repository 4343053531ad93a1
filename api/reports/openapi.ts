import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { diffSchema } from '#shared/model/diff';
import type { ProblemCode } from '#shared/model/problem';
import { envelopeShape, reportStates } from '#shared/model/report';
import { gradeNames } from '#shared/model/score';
import { checkFormats } from '#shared/render/check-formats';
import { exportNames, formats, pdf } from '#shared/render/formats';
import { targetText } from '#shared/targets/target-texts';
import { accessProblems, json, nextPage, operationsOf, problemResponses } from '../openapi/answers.ts';
import { anyTarget } from '../openapi/report-shapes.ts';
import { cursorText, limitText } from '../request/pages.ts';
import { checkChoice } from './history.ts';
import { momentText } from './stream.ts';

const reportId = z
  .string()
  .meta({ description: 'The `reportId` of a report.', example: '5f0c1e0b7a9d4c3e8b2a6d1f4e7c9a0b' });
const anyReport = z
  .looseObject({ ...envelopeShape, target: anyTarget })
  .meta({ id: 'Report', description: 'What the reports of all checks have in common.' });
/** A row of a list of reports. */
export const historyRow = {
  reportId: z.string(),
  check: z.string(),
  target: z.string(),
  options: z.record(z.string(), z.unknown()).meta({ description: 'What differs from the default.' }),
  checkedAt: z.iso.datetime(),
  score: z.number().nullable(),
  grade: z.enum(gradeNames).nullable(),
  state: z.enum(reportStates),
};
const historySchema = z
  .looseObject({
    reports: z.array(z.looseObject(historyRow)),
    next: nextPage,
  })
  .meta({ id: 'History' });

const texts = { ...formats, ...checkFormats };

const fileSchemas: { readonly [name: string]: z.ZodType } = {
  json: anyReport,
  sarif: z
    .looseObject({ version: z.literal('2.1.0'), runs: z.array(z.looseObject({})) })
    .meta({ id: 'Sarif', description: 'SARIF 2.1.0 (OASIS).' }),
  har: z
    .looseObject({ log: z.looseObject({ version: z.literal('1.2'), entries: z.array(z.looseObject({})) }) })
    .meta({ id: 'Har', description: 'HTTP Archive 1.2.' }),
};

const pictures = Object.fromEntries(
  ['image/jpeg', 'image/png', 'image/webp'].map((type) => [type, { schema: z.unknown() }]),
);

const operation = operationsOf('reports', [{ token: ['reports:read'] }]);

/** What else the printing of a PDF may meet. */
const printing: readonly ProblemCode[] = ['browser_unavailable', 'queue_unavailable', 'overloaded'];
const oneReport: readonly ProblemCode[] = ['report_not_found', ...accessProblems];

/** The endpoints of stored reports. */
export const reportPaths: ZodOpenApiPathsObject = {
  '/api/reports': {
    get: operation('listReports', 'The reports that were given to this account, newest first.', {
      requestParams: {
        query: z.object({
          target: z
            .string()
            .regex(targetText)
            .optional()
            .meta({ description: 'A domain or URL, as the tools take it.' }),
          check: checkChoice.optional(),
          limit: z.string().regex(limitText).optional().meta({ description: '1 to 100; 20.' }),
          before: z.string().regex(cursorText).optional().meta({ description: '`next` of the page before.' }),
          format: z.enum(['ndjson', 'csv']).optional().meta({
            description: 'Streams whole reports, newest first; `limit` and `before` are refused then.',
          }),
          since: z
            .string()
            .regex(momentText)
            .optional()
            .meta({ description: 'With `format`: a date or UTC time.' }),
          until: z
            .string()
            .regex(momentText)
            .optional()
            .meta({ description: 'With `format`: a date or UTC time.' }),
        }),
      },
      responses: {
        200: {
          description: 'A page; with `format` a stream of whole reports.',
          content: {
            ...json(historySchema),
            'application/x-ndjson': { schema: z.string() },
            'text/csv': { schema: z.string() },
          },
        },
        ...problemResponses(['not_acceptable', 'overloaded', ...accessProblems]),
      },
    }),
  },
  '/api/reports/{id}': {
    get: operation('getReport', 'A stored report, exactly as it was given.', {
      requestParams: { path: z.object({ id: reportId }) },
      responses: {
        200: { description: 'The report.', content: json(anyReport) },
        304: { description: 'The caller has it.' },
        ...problemResponses(['not_acceptable', ...oneReport]),
      },
    }),
  },
  '/api/reports/{id}/export': {
    get: operation('exportReport', 'A stored report as a file.', {
      requestParams: {
        path: z.object({ id: reportId }),
        query: z.object({
          format: z
            .enum([...exportNames, pdf.name])
            .optional()
            .meta({
              description: [...exportNames.map((name) => ({ name, ...texts[name] })), pdf]
                .map(({ name, purpose }) => `${name}: ${purpose}`)
                .join('; '),
            }),
        }),
      },
      responses: {
        200: { description: 'The file.', content: fileContents() },
        304: { description: 'The caller has it.' },
        ...problemResponses(['unknown_format', ...printing, ...oneReport]),
      },
    }),
  },
  '/api/reports/{id}/screenshot': {
    get: operation('getScreenshot', 'The picture that pagespeed-check took of the page.', {
      requestParams: { path: z.object({ id: reportId }) },
      responses: {
        200: { description: 'The picture.', content: pictures },
        304: { description: 'The caller has it.' },
        ...problemResponses(['not_found', ...oneReport]),
      },
    }),
  },
  '/api/reports/{a}/diff/{b}': {
    get: operation('diffReports', 'What changed between two reports of one check and target.', {
      requestParams: { path: z.object({ a: reportId, b: reportId }) },
      responses: {
        200: { description: 'The differences.', content: json(diffSchema) },
        ...problemResponses(['not_acceptable', ...oneReport]),
      },
    }),
  },
};

function fileContents() {
  const contents = exportNames.map((name) => {
    const [mediaType = ''] = texts[name].contentType.split(';');
    return [mediaType, { schema: fileSchemas[name] ?? z.string() }] as const;
  });
  return Object.fromEntries([...contents, [pdf.contentType, { schema: z.unknown() }] as const]);
}
