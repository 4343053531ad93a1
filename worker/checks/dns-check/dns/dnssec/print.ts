import type { Ds } from '../../../../dns/record-values.ts';

/** A time of a signature as ISO 8601; whatever does not fit its 32 bits is cut to them. */
export function isoTime(unixS: number): string {
  return new Date(Math.min(Math.max(unixS, 0), 0xffffffff) * 1000).toISOString();
}

/** A DS as zone files print it. */
export function printDs({ keyTag, algorithm, digestType, digest }: Ds): string {
  return `${keyTag} ${algorithm} ${digestType} ${digest}`;
}
