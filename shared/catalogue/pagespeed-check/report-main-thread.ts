import { z } from 'zod';

const whose = {
  url: z
    .string()
    .nullable()
    .meta({ description: 'Null for what belongs to no script, such as the browser’s own work.' }),
  owner: z.string().nullable(),
  isThirdParty: z.boolean(),
};

const busyScript = z.looseObject({
  ...whose,
  totalMs: z.number().meta({ description: 'With what it made the browser do beside running it.' }),
  scriptingMs: z.number(),
  parseMs: z.number(),
});

/** What kept the main thread of the page busy. */
export const mainThreadSchema = z
  .looseObject({
    totalMs: z.number(),
    byKind: z.record(z.string(), z.number()).meta({
      description: 'Lighthouse’s groups, such as "scriptEvaluation" and "styleLayout".',
    }),
    scripts: z.array(busyScript).meta({
      description:
        'Those that took 50 ms or more, the longest first, at most 20; with the document’s own part.',
    }),
    owners: z
      .array(z.looseObject({ owner: z.string(), isThirdParty: z.boolean(), totalMs: z.number() }))
      .meta({
        description: 'The scripts by who is behind them, or by their host if the owner is unknown.',
      }),
    longTasks: z
      .array(z.looseObject({ ...whose, startMs: z.number(), durationMs: z.number() }))
      .meta({ description: 'Above 50 ms each, the longest first, at most 20.' }),
  })
  .nullable()
  .optional()
  .meta({
    description:
      'What kept the main thread busy, in ms on the device of `environment`; null where it was not seen. Absent in reports of an older release.',
  });
