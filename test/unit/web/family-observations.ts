import type { FamilySight } from '../../../worker/web/families.ts';

type Answered = Extract<FamilySight, { kind: 'answered' }>;

/** An address of each family. */
export const addresses = { 4: '192.0.2.1', 6: '2001:db8::1' } as const;

/** A usual answer over a family, with what differs. */
export function over(family: 4 | 6, more: Partial<Answered> = {}): FamilySight {
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
export function lostOver(family: 4 | 6, code: string): FamilySight {
  return { family, kind: 'failed', code, reason: 'the reason' };
}
