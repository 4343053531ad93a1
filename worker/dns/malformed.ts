/** What a parser gives for text that breaks its grammar; `malformed` completes "it is not valid: …". */
export type Malformed = { readonly malformed: string };

/** Says why, as a value. */
export function malformed(why: string): Malformed {
  return { malformed: why };
}

/** Tells a parser's refusal from its value. */
export function isMalformed<T extends object>(value: T | Malformed): value is Malformed {
  return 'malformed' in value && typeof value.malformed === 'string';
}
