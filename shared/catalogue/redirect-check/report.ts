import { z } from 'zod';
import { answeredBySchema } from '../answered-by.ts';

const ms = z.number().min(0);

/** Milliseconds of each phase of a hop, one decimal; they add up to `total`. A reused connection has no dns, tcp and tls. */
export const timingsSchema = z
  .looseObject({
    wait: ms,
    dns: ms,
    tcp: ms,
    tls: ms,
    ttfb: ms.meta({ description: 'From the connection to the first byte of the answer.' }),
    download: ms,
    total: ms,
    reused: z.boolean(),
  })
  .meta({ id: 'Timings' });

export const redirectEnds = [
  'ok',
  'loop',
  'too-many',
  'refused',
  'invalid-location',
  'unreachable',
  'cookie-required',
] as const;
export type RedirectEnd = (typeof redirectEnds)[number];

export const redirectVias = ['http', 'refresh-header', 'meta-refresh'] as const;
export type RedirectVia = (typeof redirectVias)[number];

export const redirectReportShape = {
  target: z.looseObject({ url: z.string() }),
  hops: z.array(
    z
      .looseObject({
        url: z.string(),
        status: z.int().nullable().meta({ description: 'null when the hop gave no answer.' }),
        location: z
          .string()
          .nullable()
          .meta({ description: 'Where this hop sends the visitor, as it was sent.' }),
        via: z
          .enum(redirectVias)
          .optional()
          .meta({ description: 'How the hop sends the visitor on; absent when it does not.' }),
        upgradedTo: z.string().optional().meta({
          description:
            'The https address that browsers ask instead of the http address in `location`, and that was asked here: by HSTS of an earlier hop or of the preload list.',
        }),
        address: z.string().nullable(),
        timings: timingsSchema.nullable(),
        waitedMs: ms
          .nullable()
          .optional()
          .meta({ description: 'Of a hop that gave no answer: for how long one was waited for.' }),
        tls: z
          .looseObject({
            protocol: z.string().nullable(),
            trusted: z.boolean(),
            error: z.string().nullable(),
          })
          .nullable()
          .optional()
          .meta({ description: 'null for http.' }),
        headers: z
          .array(z.tuple([z.string(), z.string()]))
          .optional()
          .meta({
            description:
              'As sent, each byte one character; without the values of cookies and without credentials. The first 16 kB.',
          }),
        error: z
          .looseObject({ code: z.string(), reason: z.string() })
          .optional()
          .meta({ description: 'Why the hop gave no answer.' }),
      })
      .meta({ id: 'RedirectHop' }),
  ),
  answeredBy: answeredBySchema,
  finalUrl: z.string().nullable(),
  finalStatus: z.int().nullable(),
  redirects: z
    .int()
    .min(0)
    .meta({ description: 'Hops that send the visitor on, by status or from within the page.' }),
  totalMs: ms.nullable().meta({
    description:
      'Over all hops, including the time spent on hops that gave no answer; null where that is not known.',
  }),
  laterVisit: z
    .looseObject({
      url: z.string(),
      by: z.enum(['header', 'preload-list']),
      redirects: z
        .int()
        .min(0)
        .nullable()
        .meta({ description: 'From there; null where this chain did not pass there.' }),
    })
    .nullable()
    .meta({
      description:
        'Where a browser begins its next visit, because a hop of this chain set Strict-Transport-Security for the first host; with preload-list it begins there the first time too. null where the next visit is the same.',
    }),
  ended: z.enum(redirectEnds),
};
