/** Bytes that do not follow their grammar, and where that was seen first. */
export type Malformed = {
  readonly kind: 'malformed';
  /** Offset of the byte at which reading stopped. */
  readonly at: number;
  /** A sentence's end: "a length that runs past the end". */
  readonly reason: string;
};

/** Makes a Malformed. */
export function malformed(at: number, reason: string): Malformed {
  return { kind: 'malformed', at, reason };
}

/** Tells a Malformed from what was parsed. */
export function isMalformed(value: unknown): value is Malformed {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'malformed';
}
