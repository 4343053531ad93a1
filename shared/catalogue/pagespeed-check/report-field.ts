import { z } from 'zod';

/** Bands of a metric, best first; the limits stand in each metric's `thresholds`. */
export const ratings = ['good', 'needs-improvement', 'poor'] as const;
export type Rating = (typeof ratings)[number];

/** A metric of real visits, at their 75th percentile: ms; CLS has no unit. */
const fieldMetricSchema = z
  .looseObject({
    p75: z.number(),
    rating: z.enum(ratings),
    distribution: z.array(z.number()).meta({ description: 'Shares of good, needs-improvement, poor.' }),
  })
  .meta({ id: 'FieldMetric' });

const day = z.string().meta({ description: 'Such as "2026-10-01".' });
const period = z.object({ from: day, to: day });

const recordShape = {
  period: period.nullable().optional().meta({
    description: 'The days of the visits, both included; null where the provider does not tell them.',
  }),
  metrics: z.record(z.string(), fieldMetricSchema),
  history: z
    .looseObject({
      periods: z.array(period).meta({ description: 'Oldest first, a week apart; each has 28 days.' }),
      p75: z.record(z.string(), z.array(z.number().nullable())).meta({
        description:
          'Of each metric a value for each period, ms (CLS has no unit); null where too few visits were counted.',
      }),
    })
    .nullable()
    .optional()
    .meta({ description: 'Earlier periods; null where they could not be had.' }),
} as const;

/** What real visitors had, of a page or of a whole origin. */
const fieldRecordSchema = z.looseObject(recordShape).meta({ id: 'FieldRecord' });

/** The record of the page, else of its origin; null where there is none. */
export const fieldSchema = z
  .looseObject({
    provider: z.enum(['crux', 'psi']),
    scope: z.enum(['url', 'origin']),
    formFactor: z.string(),
    ...recordShape,
    origin: fieldRecordSchema.nullable().optional().meta({
      description:
        'The record of the page’s whole origin beside its own; null where there is none, or `scope` is "origin".',
    }),
  })
  .nullable();
