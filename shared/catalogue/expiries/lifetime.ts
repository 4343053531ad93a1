import { lifetimeDays } from '../../model/lifetime.ts';
import type { Expiry } from '../domain-health/report.ts';

/** Something of a target that ends: Unix ms. */
export type Lifetime = Pick<Expiry, 'what' | 'name'> & {
  /** null where it does not tell. */
  readonly beginsAt: number | null;
  readonly endsAt: number;
};

/** How long it lasts, in days; null where that is not known. */
export function daysOf({ beginsAt, endsAt }: Lifetime): number | null {
  if (beginsAt === null || beginsAt >= endsAt) return null;
  return Math.round(lifetimeDays({ notBefore: beginsAt, notAfter: endsAt }) * 100) / 100;
}
