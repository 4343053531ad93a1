import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { recheckedAtSchema } from '#shared/catalogue/domain-health/report';
import { newsSchema } from '#shared/catalogue/news';
import { comparisonSchema } from '#shared/model/comparison';
import type { ProblemCode } from '#shared/model/problem';
import { domainText, targetText } from '#shared/targets/target-texts';
import { accessProblems, json, nextPage, operationsOf, problemResponses } from '../openapi/answers.ts';
import { checkChoice } from '../reports/history.ts';
import { historyRow } from '../reports/openapi.ts';
import { cursorText, limitText } from '../request/pages.ts';
import { spanText } from './domain-history.ts';

const domainHistorySchema = z
  .looseObject({
    domain: z.string(),
    points: z.array(
      z.looseObject({
        ...historyRow,
        rulesVersion: z.int().nullable(),
        rulesChanged: z.boolean().meta({
          description: 'It was judged by other rules than the point before: a difference may be ours.',
        }),
        news: z
          .array(newsSchema)
          .meta({ description: 'What changed since the older point with the same options.' }),
        notes: z.array(z.string()).meta({ description: 'What was not seen this time, or is seen again.' }),
        recheckedAt: recheckedAtSchema.nullable(),
      }),
    ),
    next: nextPage,
  })
  .meta({ id: 'DomainHistory' });

const operation = operationsOf('reports', [{}, { token: ['reports:read'] }]);
const problems: readonly ProblemCode[] = ['not_acceptable', 'target_not_allowed', ...accessProblems];
const span = z.string().regex(spanText).optional();

/** The endpoints of histories and comparisons. */
export const historyPaths: ZodOpenApiPathsObject = {
  '/api/history/{domain}': {
    get: operation('getDomainHistory', 'A domain over time: the reports of one check, newest first.', {
      requestParams: {
        path: z.object({ domain: z.string().regex(domainText).meta({ example: 'example.com' }) }),
        query: z.object({
          check: checkChoice.optional().meta({ description: 'domain-health where left out.' }),
          target: z.string().regex(targetText).optional().meta({
            description:
              'The domain, a name below it or a URL of one of them; the domain or its https:// page where left out.',
          }),
          since: span.meta({ description: 'A date, a UTC time, or so many days back, such as 30d.' }),
          until: span.meta({ description: 'As `since`.' }),
          limit: z.string().regex(limitText).optional().meta({ description: '1 to 100; 100.' }),
          before: z.string().regex(cursorText).optional().meta({ description: '`next` of the page before.' }),
        }),
      },
      responses: {
        200: { description: 'A page of points.', content: json(domainHistorySchema) },
        ...problemResponses(problems),
      },
    }),
  },
  '/api/compare': {
    get: operation('compareDomains', 'Two to ten domains side by side. Starts no check.', {
      requestParams: {
        query: z.object({
          domain: z
            .array(z.string().regex(domainText))
            .min(2)
            .max(10)
            .meta({ description: 'Given once for each domain.' }),
          format: z.enum(['json', 'csv']).optional(),
        }),
      },
      responses: {
        200: {
          description: 'The newest reports that you may see, row by row.',
          content: { ...json(comparisonSchema), 'text/csv': { schema: z.string() } },
        },
        ...problemResponses(problems),
      },
    }),
  },
};
