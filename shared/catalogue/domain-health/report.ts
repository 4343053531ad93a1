import { z } from 'zod';
import { fates } from '../../model/diff.ts';
import { findingSchema, fixSchema, severitySchema } from '../../model/finding.ts';
import { gradeNames } from '../../model/score.ts';
import { severities } from '../../model/verdict.ts';
import { redirectEnds } from '../redirect-check/report.ts';
import type { FieldsOf } from '../spec.ts';
import { registrationSchema } from './registration.ts';
import { type CategoryName, categoryNames } from './weights.ts';

/** What ends at some time and has to be renewed. */
const expiringThings = ['domain', 'certificate', 'signature', 'ocsp', 'crl', 'security-txt'] as const;

export const expirySchema = z
  .looseObject({
    what: z.enum(expiringThings).meta({
      description:
        'domain: its registration · certificate · signature: the signatures of the zone (DNSSEC) · ocsp: the stapled answer · crl: the list that the certificate points to · security-txt.',
    }),
    name: z.string().meta({ description: 'The domain, host, zone or address that it belongs to.' }),
    expiresAt: z.iso.datetime(),
    daysLeft: z.int().meta({ description: 'Whole days from `checkedAt`; below 0 once it is past.' }),
    lifetimeDays: z.number().nullable().meta({ description: 'null where it does not tell when it began.' }),
    state: z.enum(['ok', 'soon', 'past']).meta({
      description:
        'soon: less than a third of its lifetime is left, and less than 30 days; of a lifetime below 10 days, less than a quarter.',
    }),
  })
  .meta({ id: 'Expiry' });

export type Expiry = z.infer<typeof expirySchema>;

/** How a category stands. Only `ok` and `partial` have a score. */
const categoryStates = ['ok', 'partial', 'unavailable', 'not-applicable', 'left-out'] as const;
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
        'unavailable: it could not be checked · not-applicable: there is nothing to check, as on a domain without a web server · left-out: `parts` does not name it.',
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
    notTested: z.array(z.string()).optional().meta({
      description: 'Codes of rules that were not tested, beside a score.',
    }),
    report: sourceSchema,
    mailHosts: z
      .looseObject({
        reason: z.string().optional().meta({ description: 'Why they say nothing for the score.' }),
        report: sourceSchema.optional().meta({ description: 'Absent where they were not talked to.' }),
      })
      .optional()
      .meta({
        id: 'HealthMailHosts',
        description:
          'Of mail alone: what smtp-check adds to it. What it takes, the score of the category loses.',
      }),
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
    sentOnTo: z.string().optional().meta({
      description:
        'Where a browser ended, as the page at finalUrl itself sent it on, by script or by a refresh. Absent where it stayed there, and where no browser was seen at that page.',
    }),
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
    severity: severitySchema,
    title: z.string(),
    scoreEffect: z
      .number()
      .meta({ description: 'Points it takes from the score of the domain; 0 or below.' }),
  })
  .meta({ id: 'WorstFinding' });

const partCategory = categoryName.nullable().meta({
  description: 'null for an entry point’s redirect-check, and for a finding of domain-health itself.',
});

const partFindingSchema = findingSchema
  .extend({
    check: z.string().meta({ description: 'The check that found it; `code` is a code of that check.' }),
    target: z.string(),
    category: partCategory,
    domainEffect: z.number().max(0).meta({
      description: 'Points it takes from the score of the domain; `scoreEffect` is that of its own report.',
    }),
  })
  .meta({ id: 'PartFinding' });

const raiseSchema = z
  .looseObject({
    findings: z
      .array(
        z.looseObject({ check: z.string(), target: z.string(), category: partCategory, code: z.string() }),
      )
      .min(1)
      .meta({ description: 'Everything that this one fix ends, in whatever reports it stands.' }),
    fix: fixSchema,
    points: z.number().min(0).nullable().meta({
      description:
        'What the fix alone adds to the score of the domain, as it was judged again from what is stored; null where the fix would let more of the site be seen, so that the result is unknown.',
    }),
    scoreAfter: points,
    gradeAfter: grade,
  })
  .meta({ id: 'Raise' });

const recheckSchema = z
  .looseObject({
    check: z.string(),
    target: z.string(),
    code: z.string(),
    state: z.enum(fates),
    reason: z.string().optional().meta({ description: 'Why it was not tested.' }),
  })
  .meta({
    id: 'Recheck',
    description:
      'Of a report that was judged again because one check was made again: which, for what finding, and what became of it. All other parts are as old as they were.',
  });

/** Of a report that was judged again: which check was made again for it, and when. `checkedAt` stays that of all other parts. */
export const recheckedAtSchema = z.looseObject({ check: z.string(), at: z.iso.datetime() }).meta({
  id: 'RecheckedAt',
  description: 'Which check was made again, and when.',
});

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
      'The share of the applicable weights that has a score; parts that were left out count as applicable. Below 1 there is no grade above A. Where less than half of what was asked for has a score, the domain has none.',
  }),
  recheck: recheckSchema.optional(),
  recheckedAt: recheckedAtSchema.optional(),
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
  partFindings: z.array(partFindingSchema).optional().meta({
    description:
      'The findings of the parts as they stand in their own reports, the dearest first. `findings` are those of this report alone, and `summary` counts only those. Absent in reports of earlier releases.',
  }),
  raise: z.array(raiseSchema).max(10).optional().meta({
    description:
      'What would raise the grade and the score most: first what caps the grade, then by points. Each figure is of that fix alone.',
  }),
  raisedTo: z.looseObject({ score: points, grade }).optional().meta({
    id: 'RaisedTo',
    description: 'With everything in `raise` fixed; null where one of the fixes has no figure.',
  }),
  raiseLeftOut: count.optional().meta({
    description: 'How many faults more there are than were judged again for `raise`; absent where none.',
  }),
  registration: registrationSchema.optional().meta({
    description:
      'What the registry of the domain tells, asked by RDAP. Absent in reports of earlier releases.',
  }),
  expiries: z.array(expirySchema).optional().meta({
    description:
      'Everything that was seen to end at some time, the earliest first. Absent in reports of earlier releases.',
  }),
  trend: trendSchema.optional(),
};

/** Own fields of domain-health. */
export type HealthFields = FieldsOf<typeof domainHealthReportShape>;
