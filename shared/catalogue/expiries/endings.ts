import { z } from 'zod';
import type { Report } from '../../model/report.ts';
import { endingsOfCertificates } from './certificates.ts';
import { daysOf, type Lifetime } from './lifetime.ts';
import { endingOfPolicyHost, endingsOfMailHosts } from './mail.ts';
import { endingOfSecurityTxt } from './security-txt.ts';
import { endingOfSignatures } from './signatures.ts';

/** By check, what its report saw to end at some time. */
const endingsOfCheck: { readonly [check: string]: (report: Report) => readonly (Lifetime | undefined)[] } = {
  'ssl-check': endingsOfCertificates,
  'dns-check': (report) => [endingOfSignatures(report), endingOfPolicyHost(report)],
  'security-header-check': (report) => [endingOfSecurityTxt(report)],
  'smtp-check': (report) => endingsOfMailHosts(String(report.target['domain']), report),
};

// Reports of earlier releases say less of each.
const healthFields = z.looseObject({
  expiries: z
    .array(
      z.looseObject({
        what: z.string(),
        name: z.string().default(''),
        expiresAt: z.string(),
        lifetimeDays: z.number().nullable().default(null),
      }),
    )
    .optional()
    .catch(undefined),
});

/** Something that a report saw to end, and when. */
export type Ending = {
  readonly what: string;
  readonly name: string;
  readonly expiresAt: string;
  /** How long it lasts; null where that is not known. */
  readonly lifetimeDays: number | null;
};

/** What a report of one check saw to end; nothing for no report. */
export function lifetimesIn(report: Report | null | undefined): readonly Lifetime[] {
  const endings = report ? (endingsOfCheck[report.check]?.(report) ?? []) : [];
  return endings.flatMap((ending) => (ending ? [ending] : []));
}

/** Everything that a report of any check saw to end at some time, the earliest first; a domain-health lists it itself. */
export function endingsIn(report: Report): readonly Ending[] {
  const own = healthFields.parse(report).expiries;
  if (own) return own;
  return lifetimesIn(report)
    .toSorted((a, b) => a.endsAt - b.endsAt)
    .map((ending) => ({
      what: ending.what,
      name: ending.name,
      expiresAt: new Date(ending.endsAt).toISOString(),
      lifetimeDays: daysOf(ending),
    }));
}
