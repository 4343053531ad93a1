import { z } from 'zod';
import {
  registrationSchema,
  type Registration,
  registrationQuestion,
  unknownRegistration,
} from '../../catalogue/domain-health/registration.ts';
import type { Report } from '../../model/report.ts';
import { registeredNameOf } from '../../targets/parse-target.ts';

const stored = z.looseObject({ registration: registrationSchema });

/**
 * The registration of a domain, as a visit has stored it.
 * @param report undefined where there is none
 * @param hidesAges the caller is not told when others asked
 */
export function readRegistration(
  domain: string,
  report: Report | undefined,
  hidesAges: boolean,
): Registration {
  const name = registeredNameOf(domain);
  if (registrationQuestion(domain) === undefined)
    return unknownRegistration(name, 'it is a name below which others register theirs');
  const found = stored.safeParse(report).data?.registration;
  if (found === undefined) return unknownRegistration(name, 'its registry was not asked in time');
  return hidesAges ? { ...found, askedAt: null } : found;
}
