import { z } from 'zod';
import type { FieldsOf } from '../spec.ts';
import { budgetMetrics } from './budget.ts';
import { categoryNames } from './categories.ts';
import { fieldSchema, ratings } from './report-field.ts';
import { mainThreadSchema } from './report-main-thread.ts';

const rating = z.enum(ratings).nullable();
const row = z.record(z.string(), z.unknown());

/** A metric of the lab. */
export const metricSchema = z
  .looseObject({
    value: z
      .number()
      .nullable()
      .meta({ description: 'ms; CLS has no unit. Simulated for the line and the device of `environment`.' }),
    unit: z.enum(['ms', '']),
    display: z.string().nullable(),
    score: z.number().nullable().meta({ description: '0 to 1, by Lighthouse’s curve for the strategy.' }),
    weight: z.number().meta({ description: 'Per cent of the score.' }),
    rating,
    thresholds: z.object({ good: z.number(), poor: z.number() }),
    observed: z.number().nullable().meta({ description: 'As seen here, without throttling.' }),
  })
  .meta({ id: 'SpeedMetric' });

/** One of Lighthouse's audits with the first rows of its table, whose text is the target's. */
export const speedAuditSchema = z
  .looseObject({
    id: z.string().meta({ description: 'Lighthouse’s id of the audit.' }),
    title: z.string(),
    score: z.number().nullable(),
    display: z.string().nullable(),
    savings: z.looseObject({
      lcpMs: z.number().optional(),
      tbtMs: z.number().optional(),
      fcpMs: z.number().optional(),
      inpMs: z.number().optional(),
      cls: z.number().optional(),
      bytes: z.number().optional(),
    }),
    items: z.array(row),
    itemCount: z.int().min(0),
  })
  .meta({ id: 'SpeedAudit' });

const count = z.int().min(0);

/** One request of a page. */
export const speedRequestSchema = z
  .looseObject({
    url: z.string().meta({
      description:
        'Without user information and fragment; of other sites than the target’s with the names of its query alone; of data: and blob: the kind and the length.',
    }),
    method: z.string(),
    type: z.string().meta({ description: 'DevTools’ name of the kind, such as "Script".' }),
    status: count.meta({ description: '0 where no answer came.' }),
    protocol: z.string().nullable().meta({ description: 'Such as "h2" or "http/1.1".' }),
    mimeType: z.string().nullable(),
    bytes: count.meta({ description: 'Transferred.' }),
    decodedBytes: count.meta({ description: 'After decoding.' }),
    startMs: count.meta({ description: 'Since the first request, without throttling.' }),
    endMs: count,
    priority: z.string().nullable().meta({ description: 'The browser’s: "VeryHigh" to "VeryLow".' }),
    owner: z.string().nullable().meta({
      description: 'Who is behind the host, where third-party-web knows it, such as "Google Analytics".',
    }),
    isThirdParty: z.boolean().meta({
      description: 'Its host is of another registrable domain than the page.',
    }),
    initiator: z.looseObject({
      type: z.string().meta({ description: 'Such as "parser", "script" or "other".' }),
      url: z.string().nullable(),
    }),
    redirectsTo: z.string().nullable().optional(),
    fromCache: z.boolean(),
    failure: z.string().nullable().meta({ description: 'Chromium’s word, such as "net::ERR_FAILED".' }),
    timings: z
      .looseObject({
        blocked: z.number(),
        dns: z.number().nullable(),
        connect: z.number().nullable().meta({ description: 'With `ssl`.' }),
        ssl: z.number().nullable(),
        send: z.number(),
        wait: z.number(),
        receive: z.number(),
      })
      .nullable()
      .meta({ description: 'Phases in ms, as seen here; null where the browser did not tell them.' }),
  })
  .meta({ id: 'SpeedRequest' });

const transferred = z.object({ requests: z.int().min(0), bytes: z.number().min(0) });

/** The report's fields beside the envelope. */
export const pagespeedReportShape = {
  target: z.looseObject({ url: z.string() }),
  finalUrl: z.string().nullable(),
  strategy: z.enum(['mobile', 'desktop']),
  categories: z
    .partialRecord(
      z.enum(categoryNames),
      z.looseObject({
        score: z.number().min(0).max(100).nullable().meta({
          description:
            'Lighthouse’s score of the category; null where it was not measured. That of seo is made anew, with the verdict of our own reader on robots.txt.',
        }),
        lighthouseScore: z.number().min(0).max(100).nullable().optional().meta({
          description:
            'Of seo: the score that Lighthouse gave, whose robots.txt audit knows four fields alone.',
        }),
        tookMs: z.number().optional().meta({
          description:
            'What judging the category took beside the load, which all share. Absent for performance.',
        }),
        judgedBy: z
          .array(z.looseObject({ audit: z.string(), check: z.string(), codes: z.array(z.string()) }))
          .optional()
          .meta({
            description:
              'Audits of the category that count for its score, and the rules that judge the same elsewhere: there is one verdict on each fact.',
          }),
      }),
    )
    .optional()
    .meta({
      description:
        'The categories that were asked for. The report’s score and grade are those of performance. Absent in reports of an older release.',
    }),
  ended: z.string().meta({ description: '"measured", or the code of the finding that says why not.' }),
  rating,
  coreWebVitals: z.looseObject({
    assessment: z.enum(['passed', 'failed', 'unavailable']),
    basis: z.enum(['field', 'none']),
    reason: z.string().optional(),
    lab: z.looseObject({ lcp: rating, cls: rating, tbt: rating, note: z.string() }),
  }),
  metrics: z
    .looseObject({
      lcp: metricSchema,
      cls: metricSchema,
      tbt: metricSchema,
      fcp: metricSchema,
      si: metricSchema,
      ttfb: metricSchema,
    })
    .nullable(),
  field: fieldSchema,
  lcp: z
    .looseObject({
      element: z.object({ selector: z.string(), snippet: z.string() }).nullable(),
      observedPhasesMs: z
        .record(z.string(), z.number())
        .meta({ description: 'As seen here, without throttling; they do not add up to the metric.' }),
    })
    .nullable(),
  layoutShifts: z.array(row),
  opportunities: z.array(speedAuditSchema),
  diagnostics: z.array(speedAuditSchema),
  resources: z.looseObject({ total: transferred, byType: z.record(z.string(), transferred) }).nullable(),
  blockedRequests: z.array(
    z.looseObject({ host: z.string(), port: z.int(), code: z.string(), reason: z.string() }),
  ),
  runs: z.looseObject({
    count: z.int().min(0),
    chosen: z.enum(['single', 'median', 'none']),
    scores: z.array(z.number().nullable()),
    spread: z.number().nullable().meta({ description: 'Points between the best and the worst run.' }),
  }),
  environment: z
    .looseObject({
      provider: z.enum(['local', 'psi']).meta({
        description: 'psi: PageSpeed Insights loaded the page, in Google’s browser and on its line.',
      }),
      lighthouse: z.string().nullable(),
      browser: z.string().nullable(),
      sandbox: z.boolean().nullable(),
      benchmarkIndex: z.number().nullable(),
      throttling: z.record(z.string(), z.unknown()),
      confidence: z.enum(['normal', 'low']).nullable(),
      peakMemoryBytes: z.number().nullable(),
      receivedBytes: z.number().nullable(),
      sentBytes: z.number().nullable(),
      overspent: z.array(z.looseObject({ site: z.string(), what: z.string(), limit: z.number() })).meta({
        description:
          'Sites that the page asked for more than one load may ask of them; nothing more went there.',
      }),
    })
    .nullable(),
  warnings: z.array(z.string()),
  screenshot: z
    .looseObject({
      width: z.int().min(1).meta({ description: 'Pixels.' }),
      height: z.int().min(1),
      type: z.enum(['image/jpeg', 'image/png', 'image/webp']),
      sizeBytes: z.int().min(1),
      href: z
        .string()
        .optional()
        .meta({ description: 'Where it can be read; absent where reports have no ids.' }),
    })
    .nullable(),
  filmstrip: z
    .array(z.looseObject({ atMs: z.number(), width: z.int().min(1), height: z.int().min(1) }))
    .optional()
    .meta({
      description:
        'When a picture of the page was taken while it loaded, and its size in pixels. Absent in reports of an older release.',
    }),
  requests: z
    .looseObject({
      total: count.meta({ description: 'Includes data: and blob: URLs, which cause no request.' }),
      overNetwork: count.optional().meta({ description: 'Without them. What a budget of requests counts.' }),
      bytes: count.optional().meta({ description: 'Transferred by all of them.' }),
      thirdPartyBytes: count.optional(),
      entries: z.array(speedRequestSchema).optional().meta({
        description: 'Those that began first, at most 500. Absent in reports of an older release.',
      }),
    })
    .nullable()
    .optional()
    .meta({
      description:
        'What the page asked for; null where it was not seen. No credentials, request bodies or response texts.',
    }),
  // What the browser held when the page had loaded, at most 100, without values; each with domain, path, attributes and lifetimeS too.
  cookies: z
    .looseObject({
      total: count,
      entries: z.array(z.looseObject({ name: z.string(), setBy: z.enum(['script', 'response']) })),
    })
    .nullable()
    .optional(),
  mainThread: mainThreadSchema,
  budget: z
    .looseObject({
      kept: z.boolean().nullable().meta({
        description:
          'False as soon as one metric is above its limit; null where a missing value leaves it open.',
      }),
      entries: z.array(
        z.looseObject({
          metric: z.enum(budgetMetrics),
          limit: z.number(),
          value: z.number().nullable(),
          kept: z.boolean().nullable(),
        }),
      ),
    })
    .optional()
    .meta({
      description: 'The budget that was asked for, and whether the load kept it. Absent without one.',
    }),
  sentOn: z.object({ from: z.string(), to: z.string() }).nullable().optional().meta({
    description:
      'The page that itself sent the browser on as it loaded, by script or by a refresh, and the page that was measured; null where the browser stayed on the first page. Absent where that was not seen.',
  }),
};

/** Own fields of pagespeed-check. */
export type PagespeedFields = FieldsOf<typeof pagespeedReportShape>;
