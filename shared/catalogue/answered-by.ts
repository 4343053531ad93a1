import { z } from 'zod';

/** A page that is not the site's own: by which sign it is known, whose it is, of which kind, and how certain that is. */
export const answeredBySchema = z
  .looseObject({
    sign: z.string(),
    vendor: z.string().nullable(),
    kind: z.string(),
    certainty: z.enum(['certain', 'likely']),
    reason: z.string(),
  })
  .nullable()
  .optional()
  .meta({ description: 'Who answered instead of the site; null where the page itself was seen.' });
