import { z } from 'zod';
import { registeredNameOf } from '../../targets/parse-target.ts';
import type { CheckSpec } from '../spec.ts';
import { internalCheck } from './internal-check.ts';
import type { SourceQuestion } from './sources.ts';

/** How the registration of a domain stands. */
export const registrationStates = ['ok', 'missing', 'no-date', 'no-rdap', 'unknown'] as const;

const date = z.iso.datetime().nullable();
const small = z.int().min(0).max(65_535);

/** What a registry tells of a domain, as a report shows it. */
export const registrationSchema = z
  .looseObject({
    state: z.enum(registrationStates).meta({
      description:
        'missing: the registry knows no such name · no-date: it does not tell when the registration ends · no-rdap: IANA lists no RDAP service for the top-level domain · unknown: it was not asked, as where the parent zone delegates nothing, or did not answer.',
    }),
    reason: z.string().optional().meta({ description: 'Why it is not ok.' }),
    name: z.string().nullable().meta({ description: 'The domain as registries sell it.' }),
    expiresAt: date,
    registeredAt: date,
    askedAt: date.meta({
      description:
        'When the registry was asked: answers are kept for 12 hours, for one within 30 days of the end. null where ACCOUNT_CACHE is own.',
    }),
    registrar: z.string().nullable(),
    statuses: z.array(z.string()).meta({ description: 'By the names of EPP: "clientHold" (RFC 8056).' }),
    nameServers: z.array(z.string()),
    ds: z.array(z.object({ keyTag: small, algorithm: small, digestType: small, digest: z.string() })),
    isSigned: z.boolean().nullable().meta({
      description: 'Whether the registry says that the delegation is signed; null where it does not say.',
    }),
  })
  .meta({ id: 'Registration' });

export type Registration = z.infer<typeof registrationSchema>;

/** A registration of which nothing is known but why. */
export function unknownRegistration(
  name: string | null,
  reason: string,
  state: Registration['state'] = 'unknown',
): Registration {
  const empty = { expiresAt: null, registeredAt: null, askedAt: null, registrar: null };
  return { state, reason, name, ...empty, statuses: [], nameServers: [], ds: [], isSigned: null };
}

/**
 * The internal question of a visit to the registry of a domain. It has no endpoint; its answers are everybody's, and one caller who asks
 * afresh has a registry asked again after an hour at the earliest.
 */
export const domainRegistration: CheckSpec = {
  name: 'domain-registration',
  summary: 'Asks the registry of a domain, for domain-health.',
  ...internalCheck,
  freshForS: 43_200,
  refreshFloorS: 3600,
  rulesVersion: 1,
};

/** What is asked about the registration of a domain; undefined for a name that nobody can register, such as a public suffix. */
export function registrationQuestion(domain: string): SourceQuestion | undefined {
  const target = registeredNameOf(domain);
  return target === null ? undefined : { spec: domainRegistration, target, options: {}, isShared: true };
}
