import { brokenIf, notTested, type Verdict } from '#shared/model/verdict';
import type { Certificate } from '../../../certificates/certificate.ts';
import { isMalformed } from '../../../certificates/grammar/malformed.ts';
import {
  parseSignedTimestamps,
  type SignedTimestamp,
} from '../../../certificates/grammar/signed-timestamps.ts';
import { lifetimeDays } from '../../../certificates/lifetime.ts';
import type { Presented } from '../facts/presented.ts';

/** Every policy of the CA/Browser Forum; each public server certificate carries one (Baseline Requirements §7.1.6.1). */
const publicPolicies = '2.23.140.1.';

/** Judges how many logs have promised to publish the certificate. Certificates of private CAs need none. */
export function judgeTimestamps({ timestampList, isSeenInClear }: Presented, leaf: Certificate): Verdict {
  if (!leaf.extensions.policies.some((policy) => policy.startsWith(publicPolicies))) return 'not-applicable';
  const { timestamps } = leaf.extensions;
  if (isMalformed(timestamps))
    return brokenIf(true, { count: 0, wanted: wantedOf(leaf), reason: timestamps.reason });
  const logs = new Set([...(timestamps ?? []), ...readSent(timestampList)].map(({ logId }) => logId));
  // They may also come as a TLS extension, which in TLS 1.3 is encrypted.
  if (logs.size === 0 && !isSeenInClear)
    return notTested('timestamps outside the certificate are not visible in TLS 1.3');
  return brokenIf(logs.size < wantedOf(leaf), { count: logs.size, wanted: wantedOf(leaf) });
}

/** Two logs up to 180 days, three above, by the policies of Chrome and Apple. */
function wantedOf(leaf: Certificate): number {
  return lifetimeDays(leaf) > 180 ? 3 : 2;
}

function readSent(base64: string | null): readonly SignedTimestamp[] {
  const list = parseSignedTimestamps(Buffer.from(base64 ?? '', 'base64'));
  return isMalformed(list) ? [] : list.timestamps;
}
