import { z } from 'zod';
import { severitySchema } from './finding.ts';
import { gradeNames } from './score.ts';

const cellSchema = z.looseObject({
  text: z.string().meta({
    description:
      'For a reader. Of a rule: “✗ critical”, “✓ not found”, “– not tested”, “– not applicable”, “– no report”.',
  }),
  verdict: z.enum(['broken', 'holds', 'not-tested', 'unknown']).nullable().meta({
    description: 'Of a rule; unknown: nothing is known of it, or it does not apply. null in other rows.',
  }),
  severity: severitySchema.nullable().meta({ description: 'Of a broken rule.' }),
});

/** Several domains side by side. */
export const comparisonSchema = z
  .looseObject({
    domains: z.array(
      z.looseObject({
        domain: z.string(),
        state: z.enum(['ok', 'no-report']).meta({ description: 'no-report: none that you may see.' }),
        reportId: z.string().nullable(),
        checkedAt: z.iso.datetime().nullable(),
        score: z.number().nullable(),
        grade: z.enum(gradeNames).nullable(),
        href: z.string().meta({ description: 'Address of the tool that gives the report.' }),
      }),
    ),
    rows: z.array(
      z.looseObject({
        category: z.string().nullable(),
        check: z.string(),
        code: z.string().nullable(),
        name: z.string(),
        kind: z.enum(['score', 'grade', 'verdict', 'text']),
        consequenceOf: z.looseObject({ check: z.string(), code: z.string() }).nullable().meta({
          description: 'The rule whose fix ends this one too; else null.',
        }),
        cells: z.array(cellSchema).meta({ description: 'In the order of `domains`.' }),
      }),
    ),
  })
  .meta({ id: 'Comparison' });
export type Comparison = z.infer<typeof comparisonSchema>;
export type ComparisonRow = Comparison['rows'][number];
export type ComparisonCell = z.infer<typeof cellSchema>;
