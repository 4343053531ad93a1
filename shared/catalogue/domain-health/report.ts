import { z } from 'zod';
import { gradeNames } from '../../model/score.ts';
import { severities } from '../../model/verdict.ts';
import { redirectEnds } from '../redirect-check/report.ts';
import type { FieldsOf } from '../spec.ts';
import { type CategoryName, categoryNames } from './weights.ts';

/** How a category stands. Only `ok` and `partial` have a score. */
export const categoryStates = ['ok', 'partial', 'unavailable', 'not-applicable'] as const;
export type CategoryState = (typeof categoryStates)[number];

const count = z.int().min(0);
const points = z.number().min(0).max(100).nullable();
const grade = z.enum(gradeNames).nullable();
const categoryName = z.enum(categoryNames as [CategoryName, ...CategoryName[]]);
const origin = z
  .enum([...categoryNames, 'health'])
  .meta({ description: 'A category, or health for a finding of this report itself.' });

const sourceSchema = z
  .looseObject({
    check: z.string(),
    target: z.string(),
    href: z.string().meta({ description: 'Path of the tool that gives the whole report.' }),
    reportId: z.string().optional(),
    checkedAt: z.iso.datetime().optional().meta({ description: 'Absent where there is no report.' }),
    rulesVersion: z.int().optional(),
  })
  .meta({ id: 'HealthSource' });

const categorySchema = z
  .looseObject({
    state: z.enum(categoryStates).meta({
      description:
        'unavailable: it could not be checked · not-applicable: there is nothing to check, as on a domain without a web server.',
    }),
    score: points,
    grade,
    weight: z.number(),
    summary: z
      .object({
        ...(Object.fromEntries(severities.map((severity) => [severity, count])) as Record<
          (typeof severities)[number],
          typeof count
        >),
        passed: count,
        notTested: count,
      })
      .nullable()
      .meta({ description: 'Counts of this category’s rules; null where there is no report.' }),
    reason: z.string().optional().meta({ description: 'Why it is not ok, or what its score is based on.' }),
    codes: z.array(z.string()).meta({ description: 'Codes of its findings.' }),
    report: sourceSchema,
  })
  .meta({ id: 'HealthCategory' });

const capSchema = z
  .looseObject({
    code: z.string().meta({ description: 'The finding that limits the grade.' }),
    limit: z.enum(gradeNames),
    category: categoryName.nullable(),
    reason: z.string(),
  })
  .meta({ id: 'GradeCap' });

const entryPointSchema = z
  .looseObject({
    url: z.string(),
    finalUrl: z.string().nullable(),
    finalStatus: z.int().nullable(),
    redirects: count.nullable(),
    ended: z.enum(redirectEnds).nullable(),
    https: z
      .boolean()
      .nullable()
      .meta({ description: 'Whether the visitor ends at https; null when unknown.' }),
    state: z.enum(['ok', 'invalid', 'missing', 'unknown']).meta({
      description:
        'ok: it ends at a page · invalid: it ends elsewhere, at an error, or behind a certificate that browsers refuse · missing: no server answers there.',
    }),
    reason: z.string().optional().meta({ description: 'Why it is not ok.' }),
    report: sourceSchema,
  })
  .meta({ id: 'EntryPoint' });

const namedFindingSchema = z.looseObject({ category: origin, code: z.string() });

const trendSchema = z
  .looseObject({
    previousAt: z.iso.datetime(),
    previousReportId: z.string().optional(),
    scoreDelta: z.number(),
    gradeBefore: grade,
    categories: z
      .partialRecord(categoryName, z.number())
      .meta({ description: 'What each scored category gained or lost.' }),
    newFindings: z.array(namedFindingSchema),
    fixedFindings: z.array(namedFindingSchema),
  })
  .meta({
    id: 'HealthTrend',
    description:
      'Since the last report with the same rules and the same coverage; absent where there is none.',
  });

const worstFindingSchema = z
  .looseObject({
    category: categoryName,
    code: z.string(),
    severity: z.enum(severities),
    title: z.string(),
    scoreEffect: z
      .number()
      .meta({ description: 'Points it takes from the score of the domain; 0 or below.' }),
  })
  .meta({ id: 'WorstFinding' });

/** The report of domain-health, beside the envelope. */
export const domainHealthReportShape = {
  target: z.looseObject({ domain: z.string() }),
  categories: z.object(
    Object.fromEntries(categoryNames.map((name) => [name, categorySchema])) as Record<
      CategoryName,
      typeof categorySchema
    >,
  ),
  coverage: z.number().min(0).max(1).meta({
    description:
      'The share of the applicable weights that has a score. Below 0.5 the domain has none; below 1 no grade above A.',
  }),
  gradeBeforeCaps: grade.meta({ description: 'The letter of `score`, before `caps` limit it to `grade`.' }),
  caps: z.array(capSchema).meta({
    description: 'Everything that limits the grade, the strictest first, also limits above the grade.',
  }),
  entryPoints: z.array(entryPointSchema),
  addressFamilies: z
    .array(
      z.looseObject({
        family: z.enum(['IPv4', 'IPv6']),
        state: z.enum(['answers', 'partly', 'no-answer', 'no-address', 'unknown']).meta({
          description: 'partly: some of its addresses answer, or they answer TLS but not with the page.',
        }),
        reason: z.string().optional(),
      }),
    )
    .optional()
    .meta({
      id: 'AddressFamilies',
      description: 'Whether the web host can be reached over HTTPS by each family of addresses.',
    }),
  worstFindings: z.array(worstFindingSchema),
  trend: trendSchema.optional(),
};

/** Own fields of domain-health. */
export type HealthFields = FieldsOf<typeof domainHealthReportShape>;
