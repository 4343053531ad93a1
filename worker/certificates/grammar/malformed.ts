import type { Malformed as AnyMalformed } from '#shared/model/verdict';

/** Bytes that break their grammar, among other kinds of what was read: why as a clause's end ("a length that runs past the end"), and the offset of the byte at which reading stopped. */
export type Malformed = Required<AnyMalformed> & { readonly kind: 'malformed' };

/** Makes a Malformed. */
export function malformed(why: string, at: number): Malformed {
  return { kind: 'malformed', malformed: why, at };
}
