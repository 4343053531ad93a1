import { z } from 'zod';
import type { Report } from '../../model/report.ts';
import { type Expiry, expirySchema } from '../domain-health/report.ts';
import { endingsOfCertificates } from './certificates.ts';
import { daysOf, type Lifetime } from './lifetime.ts';
import { endingOfPolicyHost, endingOfSecurityTxt, endingsOfMailHosts } from './others.ts';
import { endingOfSignatures } from './signatures.ts';

/** By check, what its report saw to end at some time. */
const endingsOfCheck: { readonly [check: string]: (report: Report) => readonly (Lifetime | undefined)[] } = {
  'ssl-check': endingsOfCertificates,
  'dns-check': (report) => [endingOfSignatures(report), endingOfPolicyHost(report)],
  'security-header-check': (report) => [endingOfSecurityTxt(report)],
  'smtp-check': (report) => endingsOfMailHosts(String(report.target['domain']), report),
};

const healthFields = z.looseObject({ expiries: z.array(expirySchema).optional().catch(undefined) });

/** Everything that a report of any check saw to end at some time, the earliest first; a domain-health lists it itself. */
export function endingsIn(
  report: Report,
): readonly Pick<Expiry, 'what' | 'name' | 'expiresAt' | 'lifetimeDays'>[] {
  const own = healthFields.parse(report).expiries;
  if (own) return own;
  const endings = endingsOfCheck[report.check]?.(report) ?? [];
  return endings
    .flatMap((ending) => (ending ? [ending] : []))
    .toSorted((a, b) => a.endsAt - b.endsAt)
    .map((ending) => ({
      what: ending.what,
      name: ending.name,
      expiresAt: new Date(ending.endsAt).toISOString(),
      lifetimeDays: daysOf(ending),
    }));
}
