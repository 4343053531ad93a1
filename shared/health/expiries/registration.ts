import type { Registration } from '../../catalogue/domain-health/registration.ts';
import type { Lifetime } from '../../catalogue/expiries/lifetime.ts';

/** When a registration ends; undefined where that is not known. */
export function endingOfRegistration({ name, expiresAt, registeredAt }: Registration): Lifetime | undefined {
  if (name === null || expiresAt === null) return undefined;
  const beginsAt = registeredAt === null ? null : Date.parse(registeredAt);
  return { what: 'domain', name, beginsAt, endsAt: Date.parse(expiresAt) };
}
