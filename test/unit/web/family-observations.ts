import type { FamilyObservation } from '../../../worker/web/families.ts';

type Answered = Extract<FamilyObservation, { kind: 'answered' }>;

/** An address of each family. */
export const addresses = { 4: '192.0.2.1', 6: '2001:db8::1' } as const;

/** A usual answer over a family, with what differs. */
export function over(family: 4 | 6, more: Partial<Answered> = {}): FamilyObservation {
  const headers = [['X-Frame-Options', 'DENY']] as const;
  return {
    family,
    kind: 'answered',
    address: addresses[family],
    status: 200,
    headers,
    firstByteMs: 20,
    ...more,
  };
}

/** A family that gave no answer. */
export function lostOver(family: 4 | 6, code: string): FamilyObservation {
  return { family, kind: 'failed', code, reason: 'the reason' };
}
