import type { HttpAnswer, HttpProbe } from '../probes/http/port.ts';
import { isAddressHost } from './address-host.ts';
import type { HeaderLine } from './fields.ts';
import { maskHeaders } from './mask-credentials.ts';
import type { HttpResponse } from './walk.ts';

/** One request over one address family. JSON. */
export type FamilyObservation = { readonly family: 4 | 6 } & (
  | {
      readonly kind: 'answered';
      readonly address: string;
      readonly status: number;
      /** Only the fields that are compared. */
      readonly headers: readonly HeaderLine[];
      /** From connecting to the first byte; null where an open connection was used. */
      readonly firstByteMs: number | null;
    }
  | { readonly kind: 'failed'; readonly code: string; readonly reason: string }
);

/** What was seen of an address over each family. JSON. `late`: there was no time left to ask. */
export type FamiliesObservation = {
  readonly url: string;
  readonly sights: readonly FamilyObservation[];
  readonly late: boolean;
};

/** The fields that decide what a browser enforces, in lower case. */
export const comparedFields: readonly string[] = [
  'strict-transport-security',
  'content-security-policy',
  'x-frame-options',
  'x-content-type-options',
  'referrer-policy',
  'permissions-policy',
  'cross-origin-opener-policy',
  'cross-origin-embedder-policy',
  'cross-origin-resource-policy',
];

/**
 * Asks an address over IPv6 and then, only if that answered, over IPv4: two requests, four where IPv6 seems slow, none to a host without IPv6.
 * @param isInTime false once nothing more should be asked
 */
export async function gatherFamilies(
  url: string,
  http: HttpProbe,
  isInTime: () => boolean,
): Promise<FamiliesObservation> {
  if (isAddressHost(new URL(url).hostname)) return { url, sights: [], late: false };
  if (!isInTime()) return { url, sights: [], late: true };
  const look = async (family: 4 | 6) => seeFamily(family, await askOver(family, url, http));
  const six = await look(6);
  if (six.kind === 'failed') return { url, sights: [six], late: false };
  if (!isInTime()) return { url, sights: [six], late: true };
  const four = await look(4);
  if (!isMuchSlower(six, four)) return { url, sights: [six, four], late: false };
  // A busy machine is slow for one of two as easily as a server, and some networks are late with the first connection after a pause. So IPv6
  // has to be slow twice more, one request right after the other.
  if (!isInTime()) return { url, sights: [withoutTime(six), four], late: false };
  const again = faster(six, await look(6));
  return { url, sights: [faster(again, await look(6)), four], late: false };
}

/** It answered, and how fast is not sure. */
function withoutTime(seen: FamilyObservation): FamilyObservation {
  return seen.kind === 'answered' ? { ...seen, firstByteMs: null } : seen;
}

/** Slower by this much and this many times is more than chance: browsers wait 250 ms for the other family (RFC 8305 §8). */
const slowerMs = 250;
const slowerTimes = 3;

/** Whether the first byte came so much later over the one than over the other that a visitor notices. */
export function isMuchSlower(one: FamilyObservation, other: FamilyObservation): boolean {
  if (one.kind === 'failed' || other.kind === 'failed') return false;
  const [ms, otherMs] = [one.firstByteMs, other.firstByteMs];
  return ms !== null && otherMs !== null && ms > otherMs + slowerMs && ms > otherMs * slowerTimes;
}

function faster(first: FamilyObservation, second: FamilyObservation): FamilyObservation {
  if (first.kind === 'failed' || second.kind === 'failed') return first;
  // An open connection that was used again has no time of its own, and proves none.
  return (second.firstByteMs ?? 0) < (first.firstByteMs ?? Infinity) ? second : first;
}

function askOver(family: 4 | 6, url: string, http: HttpProbe): Promise<HttpAnswer> {
  return http.ask({ url, family, bodyLimitBytes: 0, isLenient: true });
}

function seeFamily(family: 4 | 6, answer: HttpAnswer): FamilyObservation {
  if (answer.kind === 'failure') return { family, kind: 'failed', code: answer.code, reason: answer.reason };
  const { address, status, url } = answer;
  const headers = answer.headers.filter(([name]) => comparedFields.includes(name.toLowerCase()));
  return {
    family,
    kind: 'answered',
    address,
    status,
    headers: maskHeaders(headers, url).map(([name, value]) => [name, value.slice(0, 4096)]),
    firstByteMs: firstByteOf(answer),
  };
}

function firstByteOf({ timings: { tcp, tls, ttfb, reused } }: HttpResponse): number | null {
  return reused ? null : Math.round((tcp + tls + ttfb) * 10) / 10;
}
