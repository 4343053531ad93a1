import { z } from 'zod';
import { severitySchema } from './finding.ts';
import { gradeNames } from './score.ts';

/** What became of a finding in a later report. */
export const fates = ['found', 'fixed', 'not-tested', 'not-applicable', 'not-judged'] as const;
export type Fate = (typeof fates)[number];

const side = z
  .looseObject({
    reportId: z.string().optional(),
    checkedAt: z.string(),
    state: z.string(),
    score: z.number().nullable(),
    grade: z.enum(gradeNames).nullable(),
    rulesVersion: z.int(),
  })
  .meta({ id: 'DiffSide' });
const found = z
  .looseObject({
    code: z.string(),
    severity: severitySchema,
    title: z.string(),
    scoreEffect: z.number(),
  })
  .meta({ id: 'DiffFinding' });

export const differing = ['severity', 'title', 'scoreEffect', 'detail', 'fix', 'evidence'] as const;
const pieces = z.array(z.record(z.string(), z.unknown()));
export const changedFindingSchema = z.looseObject({
  code: z.string(),
  differs: z.array(z.enum(differing)).meta({ description: 'What of the finding is another.' }),
  before: found,
  after: found,
  evidence: z
    .object({ added: pieces, gone: pieces, addedCount: z.int(), goneCount: z.int() })
    .optional()
    .meta({
      description: 'Where the evidence differs: the first ten pieces of each, and how many there are.',
    }),
});

/** What changed between two reports of one check and target. */
export const diffSchema = z
  .looseObject({
    check: z.string(),
    target: z.record(z.string(), z.unknown()),
    from: side,
    to: side,
    rulesChanged: z.boolean().meta({
      description: 'The two were judged by different rules: a difference may be ours, not the target’s.',
    }),
    scoreDelta: z.number().nullable().meta({ description: 'null when one of them has no score.' }),
    isScoreComparable: z.boolean().meta({
      description: 'False: they saw different things, or our rules changed.',
    }),
    notes: z.array(z.string()).meta({
      description: 'What was not seen this time, or is seen again.',
    }),
    findings: z.object({
      added: z.array(found).meta({ description: 'In the second, and looked at in the first without it.' }),
      newlyTested: z
        .array(found)
        .meta({ description: 'In the second; the first could not look, or had no such rule.' }),
      fixed: z.array(found).meta({ description: 'In the first; the second tested it by the same rule.' }),
      noLongerTested: z.array(found).meta({ description: 'In the first; the second could not look.' }),
      noLongerApplies: z
        .array(found)
        .meta({ description: 'In the first; the rule does not apply in the second.' }),
      noLongerJudged: z.array(found).meta({
        description: 'In the first; the rule is gone or weighs otherwise.',
      }),
      notSeen: z.array(found).meta({ description: 'In the second alone: what could not be looked at.' }),
      seenAgain: z.array(found),
      changed: z
        .array(changedFindingSchema)
        .meta({ description: 'In both, with another severity, effect, text or evidence.' }),
      unchanged: z.int(),
    }),
  })
  .meta({ id: 'ReportDiff' });
export type ReportDiff = z.infer<typeof diffSchema>;
