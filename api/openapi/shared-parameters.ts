import { z } from 'zod';
import { codeText } from '#shared/model/finding';
import { maxAgeText, waitText } from '../request/read-ask.ts';

/** The query of every tool, beside the options of its check. */
export const sharedParameters = {
  wait: z
    .string()
    .regex(waitText)
    .optional()
    .meta({ description: 'Seconds to wait for the report, 0 to 55; then 202.' }),
  recheck: z.string().regex(codeText).optional().meta({
    description:
      'The code of a finding of the newest report: only the check that found it is made again, at its cost, and a domain-health is judged again from its stored parts and says in `recheck` what became of the finding. Of the other tools it is the same as fresh=1.',
  }),
  fresh: z.literal('1').optional().meta({
    description: 'Ask the target again. Joins running work; never runs again within the check’s floor.',
  }),
  maxAge: z
    .string()
    .regex(maxAgeText)
    .optional()
    .meta({ description: 'Take a report up to so many seconds old.' }),
};

/** The fields of a request that every tool reads. */
export const sharedHeaders = z.object({
  prefer: z.string().optional().meta({ description: 'RFC 7240: respond-async, wait=N.' }),
  'cache-control': z
    .string()
    .optional()
    .meta({ description: 'RFC 9111: no-cache, max-age=N, only-if-cached.' }),
  'if-none-match': z.string().optional(),
});
