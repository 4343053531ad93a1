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
 * Asks an address over IPv6 and then, only if that answered, over IPv4: two requests at most, none to a host without IPv6.
 * @param isInTime false once nothing more should be asked
 */
export async function gatherFamilies(
  url: string,
  http: HttpProbe,
  isInTime: () => boolean,
): Promise<FamiliesObservation> {
  if (isAddressHost(new URL(url).hostname)) return { url, sights: [], late: false };
  if (!isInTime()) return { url, sights: [], late: true };
  const six = seeFamily(6, await askOver(6, url, http));
  if (six.kind === 'failed') return { url, sights: [six], late: false };
  if (!isInTime()) return { url, sights: [six], late: true };
  return { url, sights: [six, seeFamily(4, await askOver(4, url, http))], late: false };
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
