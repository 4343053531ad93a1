import { z } from 'zod';
import { answeredBySchema } from '../../catalogue/answered-by.ts';
import type { Report } from '../../model/report.ts';

const state = z.looseObject({ state: z.string() });
const points = z.number().nullable();

const dnsFields = z.looseObject({
  exists: z.boolean().nullable(),
  dnsScore: points,
  mailScore: points,
  records: z.record(z.string(), z.array(z.unknown())),
  recordsUnknown: z.array(z.looseObject({ type: z.string(), reason: z.string() })),
  ns: z.looseObject({
    state: z.string(),
    servers: z.array(
      z.looseObject({ name: z.string(), ip: z.string(), authoritative: z.boolean().nullable() }),
    ),
    notAsked: z.number(),
  }),
  dnssec: z.looseObject({
    status: z.string(),
    reason: z.string(),
    resolverValidates: z.boolean().nullable().optional(),
  }),
  mx: z.looseObject({
    state: z.string(),
    nullMx: z.boolean(),
    implicit: z.boolean(),
    hosts: z.array(z.unknown()),
  }),
  spf: state,
  dmarc: state,
  mtaSts: state,
  tlsRpt: state,
  dkim: z.looseObject({ state: z.string(), subtreeExists: z.boolean().nullable() }),
});

/** What is read of a dns-check report beside the envelope. */
export type DnsFields = z.infer<typeof dnsFields>;

const redirectFields = z.looseObject({
  answeredBy: answeredBySchema,
  hops: z.array(
    z.looseObject({
      url: z.string(),
      status: z.number().nullable(),
      error: z.looseObject({ code: z.string(), reason: z.string() }).optional(),
    }),
  ),
  finalUrl: z.string().nullable(),
  finalStatus: z.number().nullable(),
  redirects: z.number(),
  ended: z.string(),
});

/** What is read of a redirect-check report beside the envelope. */
export type RedirectFields = z.infer<typeof redirectFields>;

/** Reads dns-check's own fields; null where they are not as this version knows them. */
export function readDnsFields(report: Report): DnsFields | null {
  return dnsFields.safeParse(report).data ?? null;
}

/** Reads redirect-check's own fields; null where they are not as this version knows them. */
export function readRedirectFields(report: Report): RedirectFields | null {
  return redirectFields.safeParse(report).data ?? null;
}

const speedFields = z.looseObject({
  finalUrl: z.string().nullable(),
  sentOn: z.object({ from: z.string(), to: z.string() }).nullable().optional(),
});

/** What is read of a pagespeed-check report beside the envelope. */
type SpeedFields = z.infer<typeof speedFields>;

/** Reads pagespeed-check's own fields; null where they are not as this version knows them. */
export function readSpeedFields(report: Report): SpeedFields | null {
  return speedFields.safeParse(report).data ?? null;
}

const sslFields = z.looseObject({ trust: z.looseObject({ trusted: z.boolean().nullable() }) });

/** Whether today's clients trust what ssl-check was shown; null where its report does not say. */
export function readTrust(report: Report): boolean | null {
  return sslFields.safeParse(report).data?.trust.trusted ?? null;
}
