import type { Registration } from '#shared/catalogue/domain-health/registration';
import type { Lifetime } from '#shared/catalogue/expiries/lifetime';

/** When a registration ends; undefined where that is not known. */
export function endingOfRegistration({ name, expiresAt, registeredAt }: Registration): Lifetime | undefined {
  if (name === null || expiresAt === null) return undefined;
  const beginsAt = registeredAt === null ? null : Date.parse(registeredAt);
  return { what: 'domain', name, beginsAt, endsAt: Date.parse(expiresAt) };
}
