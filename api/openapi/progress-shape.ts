import { z } from 'zod';
import { fixSchema, severitySchema } from '#shared/model/finding';
import { gradeNames } from '#shared/model/score';
import { partStates } from '#shared/ports/job-queue';

const pointsSchema = z.number().min(0).max(100);
const partSchema = z
  .looseObject({
    name: z.string(),
    state: z.enum(partStates),
    grade: z.enum(gradeNames).nullish(),
    score: pointsSchema.nullish(),
    reportId: z.string().optional().meta({ description: 'Its own report, which you may read from now on.' }),
    worst: z
      .looseObject({ code: z.string(), severity: severitySchema, title: z.string(), fix: fixSchema })
      .optional()
      .meta({
        description: 'Its worst finding, as its report has it; absent where there is none above info.',
      }),
  })
  .meta({ id: 'PartProgress', description: 'Once it is judged, with its grade and what to fix first.' });
/** How far a job is, with what is known of its parts. */
export const progressSchema = z
  .looseObject({
    done: z.int(),
    total: z.int().meta({ description: '`done ÷ total` never falls.' }),
    current: z.string(),
    parts: z.array(partSchema).optional().meta({
      description: 'The parts of a run that is made of several, such as the five of domain-health.',
    }),
    soFar: z
      .looseObject({ score: pointsSchema, grade: z.enum(gradeNames), coverage: z.number() })
      .optional()
      .meta({
        description:
          'The whole by the parts that are judged, and the share of it that they are; absent below half of what was asked for. It is no report, and may still change.',
      }),
  })
  .meta({ id: 'Progress' });
